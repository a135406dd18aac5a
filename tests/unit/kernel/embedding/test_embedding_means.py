"""What an added model's texts have in common is measured and subtracted; its prefixes stand before texts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from tiny_bert import WORDS, bert_in_numpy, crowded_weights, write_directory

from quipu.errors import ModelMissing
from quipu.kernel import embedding
from quipu.kernel.embedding.convert import convert_model
from quipu.kernel.embedding.embedder import LocalEmbedder, centred, mean, unit
from quipu.kernel.embedding.installation import add_model, means_of
from quipu.kernel.embedding.stored import ModelInfo, find_model, read_means, read_model, verify

SAMPLE = Path(embedding.__file__).with_name("sample.txt").read_text("utf-8").lower()
KNOWN = list(dict.fromkeys([*WORDS, "query", "passage", ":", *re.findall(r"[a-z]+|[?,.]", SAMPLE)]))
TEXTS = ["the cat sat", "the price fell", "a kitten", "first words", "of the new price", "new kitten sat ."]

pytestmark = pytest.mark.anyio


@pytest.fixture
def crowded(tmp_path: Path) -> Path:
    """A directory with a model whose vectors all point in nearly one direction."""
    return write_directory(tmp_path / "crowded", weights=crowded_weights(len(KNOWN)), words=KNOWN)


def rows(model: ModelInfo) -> np.ndarray:
    embedder = LocalEmbedder(model)
    return np.stack([embedder.embed_now(text) for text in TEXTS])


def off_diagonal(vectors: np.ndarray) -> np.ndarray:
    cosines = vectors @ vectors.T
    return cosines[~np.eye(len(cosines), dtype=bool)]


def test_cosines_that_lay_between_07_and_1_spread_around_0(crowded: Path, tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    convert_model(crowded, tmp_path / "raw", name="raw", precision="fp32")
    before = rows(read_model(tmp_path / "raw"))
    after = rows(add_model(crowded, home=tmp_path / "home", precision="fp32"))
    assert off_diagonal(before).min() > 0.7
    assert off_diagonal(after).min() < 0.1
    assert np.ptp(off_diagonal(after)) > 5 * np.ptp(off_diagonal(before))
    assert np.allclose(np.linalg.norm(after, axis=1), 1, atol=1e-6)


def test_the_words_before_a_question_and_before_a_memory_reach_the_model(
    crowded: Path, tmp_path: Path
) -> None:
    added = add_model(
        crowded, home=tmp_path, precision="fp32", query_prefix="query: ", passage_prefix="passage: "
    )
    for place, role in enumerate(("passage", "query")):
        ids = [KNOWN.index(word) for word in ("[CLS]", role, ":", "the", "cat", "[SEP]")]
        expected = bert_in_numpy(crowded_weights(len(KNOWN)), ids) - read_means(added)[place]
        found = LocalEmbedder(added).embed_now("the cat", role=role)
        assert np.abs(found - expected / np.linalg.norm(expected)).max() < 1e-5


async def test_a_question_has_another_vector_than_the_same_words_stored(
    crowded: Path, tmp_path: Path
) -> None:
    embedder = LocalEmbedder(add_model(crowded, home=tmp_path, query_prefix="query: "))
    stored = await embedder.embed(["the cat", "a kitten"])
    asked = await embedder.embed(["the cat", "a kitten"], role="query")
    assert np.abs(stored - asked).max() > 0.01
    assert (asked[1] == (await embedder.embed(["a kitten"], role="query"))[0]).all()
    assert (stored[1] == (await embedder.embed(["a kitten"]))[0]).all()


def test_without_prefixes_a_question_is_embedded_like_what_is_stored(crowded: Path, tmp_path: Path) -> None:
    embedder = LocalEmbedder(add_model(crowded, home=tmp_path))
    assert (embedder.embed_now("the cat") == embedder.embed_now("the cat", role="query")).all()


def test_a_text_without_a_known_word_has_no_direction_whatever_stands_before_it(
    crowded: Path, tmp_path: Path
) -> None:
    embedder = LocalEmbedder(add_model(crowded, home=tmp_path, query_prefix="query: "))
    for text in ("", "   ", "\N{KNOT}"):
        assert not embedder.embed_now(text).any()
        assert not embedder.embed_now(text, role="query").any()


def test_the_mean_is_the_same_however_often_it_is_measured(crowded: Path, tmp_path: Path) -> None:
    first = add_model(crowded, home=tmp_path / "one")
    second = add_model(crowded, home=tmp_path / "two")
    assert (read_means(first) == read_means(second)).all()
    assert first.digest == second.digest


def test_another_prefix_is_another_digest(crowded: Path, tmp_path: Path) -> None:
    plain = add_model(crowded, home=tmp_path, name="plain")
    asking = add_model(crowded, home=tmp_path, name="asking", query_prefix="query: ")
    telling = add_model(crowded, home=tmp_path, name="telling", passage_prefix="query: ")
    assert len({plain.digest, asking.digest, telling.digest}) == 3


def test_a_mean_of_another_sample_is_another_digest_and_so_is_none(crowded: Path, tmp_path: Path) -> None:
    added = add_model(crowded, home=tmp_path)
    card = json.loads((added.directory / "model.json").read_text("utf-8"))
    digests = {added.digest}
    for sample in ("", "another"):
        (added.directory / "model.json").write_text(json.dumps(card | {"sample_sha256": sample}), "utf-8")
        digests.add(read_model(added.directory).digest)
    assert len(digests) == 3


def test_a_model_that_was_added_before_there_were_means_is_what_it_was(crowded: Path, tmp_path: Path) -> None:
    added = add_model(crowded, home=tmp_path)
    card = json.loads((added.directory / "model.json").read_text("utf-8"))
    for name in ("query_prefix", "passage_prefix", "sample_sha256", "means_sha256"):
        del card[name]
    (added.directory / "model.json").write_text(json.dumps(card), "utf-8")
    (added.directory / "means.f32").unlink()
    older = find_model("crowded", home=tmp_path)
    assert not older.centred
    assert off_diagonal(rows(older)).min() > 0.7


def test_means_that_are_gone_or_damaged_are_noticed(crowded: Path, tmp_path: Path) -> None:
    added = add_model(crowded, home=tmp_path)
    path = added.directory / "means.f32"
    data = path.read_bytes()
    path.write_bytes(bytes([data[0] ^ 1]) + data[1:])
    with pytest.raises(ModelMissing, match=r"means\.f32 is damaged"):
        verify(added)
    path.write_bytes(data[:-4])
    with pytest.raises(ModelMissing, match=r"means\.f32 cannot be read"):
        LocalEmbedder(added)
    path.unlink()
    with pytest.raises(ModelMissing, match=r"means\.f32 is not there"):
        read_model(added.directory)


@pytest.mark.parametrize(
    ("name", "query", "passage"),
    [
        ("multilingual-e5-small", "query: ", "passage: "),
        ("e5-small-v2", "query: ", "passage: "),
        ("multilingual-e5-large-instruct", "", ""),
        ("bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("bge-small-zh-v1.5", "为这个句子生成表示以用于检索相关文章：", ""),
        ("bge-m3", "", ""),
        ("nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("gte-small", "", ""),
        ("mxbai-embed-large-v1", "Represent this sentence for searching relevant passages: ", ""),
        ("all-MiniLM-L12-v2", "", ""),
        ("robe5tus", "", ""),
    ],
)
def test_the_prefixes_of_a_family_are_those_that_its_makers_name(
    tmp_path: Path, name: str, query: str, passage: str
) -> None:
    added = add_model(write_directory(tmp_path / name), home=tmp_path / "home")
    assert (added.prefixes.query, added.prefixes.passage) == (query, passage)


def test_what_is_given_comes_before_what_the_directory_says_and_that_before_the_family(
    tmp_path: Path,
) -> None:
    source = write_directory(tmp_path / "e5-small")
    said = {"prompts": {"query": "ask: ", "document": "tell: "}}
    (source / "config_sentence_transformers.json").write_text(json.dumps(said))
    by_directory = add_model(source, home=tmp_path, name="one")
    given = add_model(source, home=tmp_path, name="two", query_prefix="", passage_prefix="say: ")
    assert (by_directory.prefixes.query, by_directory.prefixes.passage) == ("ask: ", "tell: ")
    assert (given.prefixes.query, given.prefixes.passage) == ("", "say: ")


def test_the_mean_of_texts_is_that_of_their_vectors(crowded: Path, tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    convert_model(crowded, tmp_path / "raw", name="raw")
    raw = LocalEmbedder(read_model(tmp_path / "raw"))
    expected = np.stack([raw.embed_now(text) for text in TEXTS]).mean(axis=0)
    assert np.allclose(means_of(raw, [*TEXTS, "\N{KNOT}"]), expected, atol=1e-6)


VECTORS = arrays.arrays(np.float32, (5, 4), elements=st.floats(-1, 1, width=32))


@given(VECTORS)
def test_centred_rows_have_length_1_or_0_and_no_direction_stays_none(vectors: np.ndarray) -> None:
    vectors[2] = 0
    found = centred(unit(vectors), mean(unit(vectors)))
    lengths = np.linalg.norm(found, axis=1)
    assert (np.isclose(lengths, 1, atol=1e-5) | (lengths == 0)).all()
    assert not found[2].any()


@given(VECTORS)
def test_a_mean_is_no_longer_than_what_it_is_of(vectors: np.ndarray) -> None:
    assert np.linalg.norm(mean(unit(vectors))) <= 1 + 1e-5
