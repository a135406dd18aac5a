"""The search statement against the same formula written plainly: same hits, same order, same parts."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import UTC, datetime, timedelta

import pytest
from long_form import sized
from plain_search import PlainSpace, Said

from quipu import AsyncMemory
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.recall.model import Hit
from quipu.recall.ranking import SIGNALS

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 3, 14, 12, tzinfo=UTC)
PEOPLE = ["Ana", "Boris", "Chiara", "Dmitri Volkov", "小林"]
USERS = ["ana", "boris"]
WORDS = """
boat harbour green painted sail repair winter engine letter garden roses piano lesson doctor appointment
recipe soup mushroom forest ticket train Lisbon Vienna hotel server database index timeout parser token
yesterday Monday birthday ship painting repaired gardens user_id src/app.py parseHTTPHeader deploy rollback
"""
FILLER = "the a of and is was with for it that we you they on in at had been will would about"
COMMON = [*WORDS.split(), *FILLER.split()]
FOREIGN = [
    "Das Boot ist nicht mehr im Hafen und wir haben es auch nicht gesehen",
    "我们昨天在花园里种了玫瑰", "ボートは緑色に塗られた", "เราซ่อมเรือเมื่อวาน", "😀😀",
]  # fmt: skip
QUESTIONS = [
    "Who painted the boat green?", "When was the engine repaired?", "What did Ana say about the garden?",
    "What did Boris and Chiara cook?", "Where do I play the piano?", "What happened on 12 March 2026?",
    "What was said in February 2026?", "What did we do yesterday?", "roses",
    "parseHTTPHeader timeout in src/app.py",
    "我们在哪里种了玫瑰", "Hafen", "Which letter did Dmitri Volkov write last month?", "ok", "😀",
    "When did 小林 visit the harbour in 2025?", "server server server database", "xyzzy plugh",
]  # fmt: skip


def invent(rng: random.Random, count: int, *, sessions: int) -> list[Said]:
    """A space with chats, pauses, messages that stand alone, long and short ones, several languages."""
    names = [f"s{n}" for n in range(sessions)]
    clock = {name: NOW - timedelta(days=rng.randrange(1, 500)) for name in names}
    said: list[Said] = []
    for n in range(count):
        session = rng.choice([*names, None]) if names else None
        pause = rng.choice([1, 5, 55, 60, 61, 600]) * 60
        time = NOW - timedelta(days=rng.randrange(500), seconds=rng.randrange(86400))
        if session is not None:
            time = clock[session] = min(NOW, clock[session] + timedelta(seconds=pause))
        text = (
            rng.choice(FOREIGN)
            if rng.random() < 0.1
            else " ".join(rng.choices(COMMON, k=rng.choice([1, 3, 8, 20, 80])))
        )
        speaker = rng.choice([*PEOPLE, None])
        said.append(
            Said(
                id=f"m{n}",
                session=session,
                role=rng.choice(["user", "user", "assistant", "tool"]),
                speaker=speaker,
                user=rng.choice([*USERS, None]),
                time=time,
                text=text + rng.choice(["", "", "?", "."]),
            )
        )
    return said


def as_message(said: Said) -> dict[str, object]:
    return {
        "id": said.id, "session": said.session, "role": said.role, "speaker": said.speaker,
        "user": said.user, "time": said.time, "content": said.text,
    }  # fmt: skip


async def tell(memory: AsyncMemory, said: list[Said], *, space: str, rng: random.Random) -> None:
    """Hand them in as they come: some one at a time, some in batches, some as an import."""
    at = 0
    while at < len(said):
        batch = [as_message(one) for one in said[at : at + rng.choice([1, 2, 5, 30])]]
        at += len(batch)
        if rng.random() < 0.5:
            await memory.observe(batch, space=space)
        else:
            await memory.import_messages(batch, space=space)


@pytest.fixture
async def memory(settings: Settings) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(settings=settings, clock=FrozenClock(NOW)) as opened:
        yield opened


def filters(rng: random.Random, said: list[Said]) -> tuple[dict[str, object], Callable[[Said], bool]]:
    """Some of the filters, as arguments and as a rule."""
    given: dict[str, object] = {}
    if rng.random() < 0.3:
        given["user"] = rng.choice([*USERS, "nobody"])
    if rng.random() < 0.3:
        given["session"] = rng.choice([*{one.session for one in said if one.session}, "none"])
    if rng.random() < 0.3:
        given["since"] = rng.choice(said).time
    if rng.random() < 0.3:
        given["until"] = rng.choice(said).time

    def allows(one: Said) -> bool:
        return (
            given.get("user") in (None, one.user)
            and given.get("session") in (None, one.session)
            and given.get("since", one.time) <= one.time  # pyright: ignore[reportOperatorIssue]
            and one.time < given.get("until", NOW + timedelta(days=1))  # pyright: ignore[reportOperatorIssue]
        )

    return given, allows


def same(hits: list[Hit], expected: list[tuple[str, float, dict[str, float]]], about: str) -> None:
    """The same entries with the same parts; in the same order but for what differs by less than rounding."""
    assert len(hits) == len(expected), about
    assert [h.score for h in hits] == pytest.approx([score for _, score, _ in expected], abs=1e-4), about
    parts = {id: parts for id, _, parts in expected}
    last = expected[-1][1] if expected else 0.0
    for hit in hits:
        said = [hit.source.message, *(again.source.message for again in hit.repeats)]  # any of equal lines
        known = [id for id in said if id in parts]
        if not known:  # cut off by the limit among equals
            assert hit.score == pytest.approx(last, abs=1e-4), about
            continue
        assert dict(hit.parts) == pytest.approx(parts[known[0]], abs=1e-4), (about, known)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(sized(6, long=12)))
async def test_a_small_space_is_ranked_exactly_by_the_formula(memory: AsyncMemory, seed: int) -> None:
    rng = random.Random(seed)
    said = invent(rng, rng.choice([1, 4, 20, 60, 120, 149]), sessions=rng.choice([0, 1, 3, 8, 30]))
    plain = PlainSpace(said)
    await tell(memory, said, space="truth", rng=rng)
    for question in QUESTIONS:
        doubtful = plain.at_the_floor(question, now=NOW)
        for limit in (1, 10, 1000):
            given, allows = filters(rng, said)
            if doubtful:
                continue
            hits = await memory.recall(question, space="truth", limit=limit, **given)  # type: ignore[arg-type]
            expected = plain.ask(question, now=NOW, allows=allows, limit=limit)
            same(hits, expected, f"{question} {given} limit={limit}")


@pytest.fixture(scope="module")
def large() -> tuple[list[Said], PlainSpace]:
    """A space in which the first pass must choose."""
    said = invent(random.Random(99), 1200, sessions=40)
    return said, PlainSpace(said)


async def test_a_large_space_gives_as_many_hits_as_are_relevant(
    memory: AsyncMemory, large: tuple[list[Said], PlainSpace]
) -> None:
    said, plain = large
    await memory.import_messages([as_message(one) for one in said], space="truth")
    rng = random.Random(1)
    common = total = 0
    for question in QUESTIONS:
        for limit in (10, 60):
            given, allows = filters(rng, said)
            hits = await memory.recall(question, space="truth", limit=limit, **given)  # type: ignore[arg-type]
            expected = plain.ask(question, now=NOW, allows=allows, limit=limit)
            doubtful = plain.at_the_floor(question, now=NOW)
            assert abs(len(hits) - len(expected)) <= len(doubtful), (question, given, limit)
            best = {id: parts for id, _, parts in expected}
            for hit in hits:
                assert plain_time(said, hit) == hit.happened_at
                assert allows(next(one for one in said if one.id == hit.source.message))
                if hit.source.message in best:
                    common += 1
                    assert padded(hit.parts) == pytest.approx(padded(best[hit.source.message]), abs=1e-4)
            total += len(hits)
    # Words drawn at random make every message nearly as good as the next; real ones differ more.
    assert common / total > 0.9


def padded(parts: Mapping[str, float]) -> dict[str, float]:
    """Parts with those that are missing, which are 0: near 0 one side may have rounded and the other not."""
    return dict.fromkeys(SIGNALS, 0.0) | dict(parts)


def plain_time(said: list[Said], hit: Hit) -> datetime:
    return next(one.time for one in said if one.id == hit.source.message)


def word(number: int) -> str:
    """A word of its own for each number."""
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number * 7919:09d}")


async def test_what_is_of_the_time_asked_for_comes_back_however_far_in_meaning(memory: AsyncMemory) -> None:
    day = datetime(2024, 5, 3, 9, tzinfo=UTC)
    noise = [
        {"content": f"Fog on {word(n)}", "time": day + timedelta(days=100 + n % 300)} for n in range(900)
    ]
    await memory.import_messages([*noise, {"id": "then", "content": "Zwieback", "time": day}], space="truth")
    later = {"id": "later", "content": "Knäckebrot", "time": day + timedelta(days=3)}
    await memory.observe([later], space="truth")
    hits = await memory.recall("What happened on 3 May 2024?", space="truth")
    assert {hit.source.message for hit in hits[:2]} == {"then", "later"}


@pytest.mark.parametrize(
    "given", [{"user": "ana"}, {"since": NOW - timedelta(minutes=30)}, {"user": "ana", "limit": 1}]
)
async def test_an_answer_is_found_by_the_words_of_a_question_that_the_filter_leaves_out(
    memory: AsyncMemory, given: dict[str, object]
) -> None:
    """It inherits the words of the question before it, whoever asked that, and whenever."""
    noise = [
        {"content": " ".join(["We did", *(word(5 * n + k) for k in range(5))]), "user": "ana", "time": NOW}
        for n in range(600)
    ]
    await memory.import_messages(noise, space="truth")
    asked = {"content": "Where is the xylophone?", "role": "assistant", "time": NOW - timedelta(minutes=31)}
    await memory.observe(
        [
            asked,
            {
                "id": "answer",
                "content": "Attic, behind boxes",
                "user": "ana",
                "time": NOW - timedelta(minutes=29),
            },
        ],
        space="truth",
        session="s",
    )
    (hit, *_) = await memory.recall("What did we do about the xylophone?", space="truth", **given)  # type: ignore[arg-type]
    assert hit.source.message == "answer"
    assert hit.parts["words"] > 0


async def test_a_message_at_the_last_microsecond_before_until_is_found(memory: AsyncMemory) -> None:
    times = [NOW - timedelta(days=n, microseconds=n * 7919) for n in range(1, 600)]
    await memory.import_messages(
        [{"id": str(n), "content": "lighthouse", "time": t} for n, t in enumerate(times)], space="t"
    )
    for n in range(0, len(times), 37):
        until = times[n] + timedelta(microseconds=1)
        (hit,) = await memory.recall("lighthouse", space="t", since=times[n], until=until)
        assert hit.source.message == str(n)
        assert (
            await memory.recall("lighthouse", space="t", since=until, until=until + timedelta(seconds=1))
            == []
        )
