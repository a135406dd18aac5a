"""Another embedding model: every vector is made again, and nobody who uses the memory notices."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
import true_vectors

from quipu import AsyncMemory
from quipu.app.kinds import KINDS
from quipu.errors import Conflict, EmbeddingError, ModelMissing
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kernel.embedding.embedder import Vectors
from quipu.kernel.embedding.hashing import HashEmbedder
from quipu.kernel.embedding.prefixes import Role
from quipu.upkeep.reembed.reembed import ReembedReport, reembed

pytestmark = pytest.mark.anyio

CITES = {kind.code: kind.cite for kind in KINDS}
OLD, NEW = 384, 100  # not a multiple of 8: the signs of a vector do not fill their last byte


class Hooked(HashEmbedder):
    """Calls ``before`` with the number of the call before each embedding: 0 is the first try of the model."""

    def __init__(self, before: Callable[[int], Awaitable[object]], *, dimensions: int = NEW) -> None:
        super().__init__(dimensions=dimensions)
        self._before = before
        self._calls = 0

    async def embed(self, texts: Sequence[str], *, role: Role = "passage") -> Vectors:
        await self._before(self._calls)
        self._calls += 1
        return await super().embed(texts, role=role)


async def goes_down(call: int) -> None:
    """As an endpoint that answers twice and then no more."""
    if call >= 2:
        raise EmbeddingError("The embedding server does not answer.")


def said(count: int, *, sessions: int = 7, first: int = 0) -> list[dict[str, object]]:
    """Short turns, so that neighbours are mixed in; every tenth stands alone."""
    places = range(first, first + count)
    return [
        {
            "id": f"m{n}",
            "content": f"Ship {n} carries {('tea', 'salt', 'wool')[n % 3]}" + ("?" if n % 4 == 0 else "."),
            "session": None if n % 10 == 9 else f"s{n % sessions}",
            "time": datetime(2024, 5, 1, tzinfo=UTC) + timedelta(minutes=n),
            "speaker": ("Ana", "Bob")[n % 2],
        }
        for n in places
    ]


@pytest.fixture
def other(settings: Settings) -> Settings:
    """Settings that name another model, with vectors of another length."""
    return replace(settings, embedding_dimensions=NEW)


async def change(database: Database, embedder: HashEmbedder) -> ReembedReport:
    return await reembed(database, embedder, CITES)


def generations(url: str) -> dict[int, str]:
    """Dimensions to state."""
    with psycopg.connect(url) as conn:
        return dict(conn.execute("select dimensions, state from core.recall_generations").fetchall())


def vectors(url: str) -> dict[int, int]:
    """Dimensions to the number of vectors there are."""
    with psycopg.connect(url) as conn:
        return dict(
            conn.execute(
                "select g.dimensions, count(*) from core.recall_vectors v"
                " join core.recall_generations g on g.id = v.generation group by 1"
            ).fetchall()
        )


async def test_afterwards_every_vector_is_of_the_new_model_and_the_old_ones_are_gone(
    memory: AsyncMemory, other: Settings, url: str
) -> None:
    await memory.import_messages(said(900), space="ana")
    await memory.import_messages(said(30), space="bob")
    async with AsyncMemory(settings=other) as changing:
        progress: list[int] = []
        report = await changing.reembed(progress=progress.append)
    assert (report.entries, report.spaces, report.removed, report.dimensions) == (930, 2, 930, NEW)
    assert sum(progress) == 930
    assert vectors(url) == {NEW: 930}
    assert generations(url) == {OLD: "retired", NEW: "serving"}
    assert true_vectors.check(url) == true_vectors.Checked(930, [])


async def test_the_answers_are_those_of_a_memory_that_had_the_new_model_from_the_start(
    memory: AsyncMemory, other: Settings, settings: Settings, server_settings: Settings
) -> None:
    questions = ["Which ship carries wool?", "What did Ana say about ship 41?", "tea on 1 May 2024"]
    await memory.import_messages(said(700), space="ana")
    before = [[h.source.message for h in hits] for hits in await memory.recall_many(questions, space="ana")]
    async with AsyncMemory(settings=other) as changing:
        await changing.reembed()
        changed = await changing.recall_many(questions, space="ana")
        await changing.import_messages(said(700), space="new")
        fresh = await changing.recall_many(questions, space="new")
    for ours, theirs in zip(changed, fresh, strict=True):
        assert [h.source.message for h in ours] == [h.source.message for h in theirs]
        assert [h.score for h in ours] == pytest.approx([h.score for h in theirs], abs=2e-3)
    assert all(before)


async def test_a_memory_that_was_open_all_the_time_searches_and_writes_with_the_new_model(
    memory: AsyncMemory, other: Settings, url: str
) -> None:
    await memory.import_messages(said(600), space="ana")
    assert (await memory.recall("Ship 5 carries", space="ana", limit=1))[0].parts["meaning"] > 0.1
    async with AsyncMemory(settings=other) as changing:
        await changing.reembed()
    (hit,) = await memory.recall("Ship 5 carries wool", space="ana", limit=1)
    assert (hit.source.message, hit.parts["meaning"] > 0.1) == ("m5", True)
    await memory.observe([{"content": "Ship 7 is back.", "session": "s3"}], space="ana")
    await memory.import_messages(said(50, first=5000), space="later")
    await memory.forget(space="ana", session="s2", confirm=True)
    assert set(vectors(url)) == {NEW}
    assert true_vectors.check(url).missing == []


async def test_a_model_that_fails_leaves_the_old_one_serving_and_is_continued_later(
    memory: AsyncMemory, database: Database, url: str
) -> None:
    await memory.import_messages(said(1000), space="ana")
    with pytest.raises(EmbeddingError, match=r"Nothing has changed.*'hashing'.*run reembed again"):
        await change(database, Hooked(goes_down))
    assert generations(url) == {OLD: "serving", NEW: "building"}
    assert vectors(url) == {OLD: 1000, NEW: 400}
    assert len(await memory.recall("Which ship carries salt?", space="ana")) == 10
    report = await change(database, HashEmbedder(dimensions=NEW))
    assert (report.entries, vectors(url)) == (600, {NEW: 1000})
    assert true_vectors.check(url).missing == []


async def test_a_model_that_does_not_work_at_all_is_refused_before_anything_is_touched(
    memory: AsyncMemory, database: Database, url: str
) -> None:
    async def refuses(call: int) -> None:
        raise EmbeddingError("The embedding server does not answer.")

    await memory.observe([{"content": "Ship 1 is late."}], space="ana")
    with pytest.raises(EmbeddingError, match="does not answer"):
        await change(database, Hooked(refuses))
    assert generations(url) == {OLD: "serving"}


async def test_what_is_written_between_reading_a_batch_and_filing_it_is_not_lost_nor_mixed_up(
    memory: AsyncMemory, database: Database, url: str
) -> None:
    await memory.import_messages(said(500), space="ana")

    async def goes_on_talking(call: int) -> None:
        if call in (1, 2):  # a new neighbour for the end of every session, a new session, a new space
            await memory.import_messages(said(20, first=1000 * call), space="ana")
            await memory.import_messages(said(20, first=1000 * call, sessions=3), space=f"new{call}")

    await change(database, Hooked(goes_on_talking))
    assert true_vectors.check(url) == true_vectors.Checked(580, [])
    assert set(vectors(url)) == {NEW}


async def test_what_is_erased_between_reading_a_batch_and_filing_it_leaves_nothing_in_either_generation(
    memory: AsyncMemory, database: Database, url: str
) -> None:
    await memory.import_messages(said(500, sessions=2), space="ana")

    async def forgets(call: int) -> None:
        if call == 1:
            await memory.forget(space="ana", session="s1", confirm=True)
            for n in (2, 12, 130):
                await memory.forget(space="ana", message=f"m{n}", confirm=True)

    with pytest.raises(EmbeddingError):
        await change(database, Hooked(lambda call: forgets(call) if call < 2 else goes_down(call)))
    with psycopg.connect(url) as conn:
        orphans = conn.execute(
            "select count(*) from core.recall_vectors v where not exists (select from core.recall_entries e"
            " where e.space_id = v.space_id and e.id = v.entry_id)"
        ).fetchone()
        (building,) = conn.execute(
            "select id from core.recall_generations where state = 'building'"
        ).fetchone() or (0,)
    assert orphans == (0,)
    true_vectors.check(url, generation=building)  # none holds a direction of what was erased beside it
    await change(database, HashEmbedder(dimensions=NEW))
    assert true_vectors.check(url).missing == []


async def test_what_is_erased_after_its_new_vectors_were_made_takes_its_neighbours_contexts_along(
    memory: AsyncMemory, database: Database, url: str
) -> None:
    await memory.import_messages(said(900, sessions=2), space="ana")
    with pytest.raises(EmbeddingError):
        await change(database, Hooked(goes_down))
    for n in (4, 40, 41, 42):
        await memory.forget(space="ana", message=f"m{n}", confirm=True)
    with psycopg.connect(url) as conn:
        (building,) = conn.execute(
            "select id from core.recall_generations where state = 'building'"
        ).fetchone() or (0,)
    assert true_vectors.check(url, generation=building).compared > 300
    await change(database, HashEmbedder(dimensions=NEW))
    assert true_vectors.check(url).missing == []


async def test_another_model_is_refused_while_one_is_being_changed_to(
    memory: AsyncMemory, database: Database, url: str
) -> None:
    await memory.import_messages(said(20), space="ana")

    async def somebody_else_wants_another(call: int) -> None:
        if call == 1:
            with pytest.raises(Conflict, match="Another process is changing"):
                await change(database, HashEmbedder(dimensions=64))

    await change(database, Hooked(somebody_else_wants_another))
    assert generations(url) == {OLD: "retired", NEW: "serving"}


async def test_a_change_that_was_cut_off_is_given_up_for_another_model(
    memory: AsyncMemory, database: Database, url: str
) -> None:
    await memory.import_messages(said(900), space="ana")
    with pytest.raises(EmbeddingError):
        await change(database, Hooked(goes_down))
    report = await change(database, HashEmbedder(dimensions=64))
    assert (report.entries, report.removed) == (900, 1300)
    assert generations(url) == {OLD: "retired", NEW: "retired", 64: "serving"}
    assert vectors(url) == {64: 900}


async def test_one_can_go_back_and_a_second_time_there_is_nothing_to_do(
    memory: AsyncMemory, other: Settings, url: str
) -> None:
    await memory.import_messages(said(100), space="ana")
    async with AsyncMemory(settings=other) as changing:
        assert (await changing.reembed()).entries == 100
        again = await changing.reembed()
        assert (again.entries, again.spaces, again.removed) == (0, 0, 0)
    assert (await memory.reembed()).entries == 100
    assert generations(url) == {OLD: "serving", NEW: "retired"}
    assert true_vectors.check(url) == true_vectors.Checked(100, [])


async def test_an_empty_database_only_takes_note_of_the_model(
    memory: AsyncMemory, other: Settings, url: str
) -> None:
    async with AsyncMemory(settings=other) as changing:
        await changing.reembed()
    await memory.observe([{"content": "The first words."}], space="ana")
    assert vectors(url) == {NEW: 1}


async def test_a_memory_whose_model_is_gone_says_so_and_can_still_be_given_another(
    memory: AsyncMemory, settings: Settings, url: str
) -> None:
    await memory.observe([{"content": "Ship 1 carries tea."}], space="ana")
    with psycopg.connect(url, autocommit=True) as conn:
        conn.execute("update core.recall_generations set digest = 'weights of last year'")
    async with AsyncMemory(settings=settings) as later:
        with pytest.raises(ModelMissing, match="again: reembed"):
            await later.recall("tea", space="ana")
        await later.reembed()
        assert (await later.recall("tea", space="ana"))[0].text == "Ship 1 carries tea."
