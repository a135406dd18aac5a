from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tiny_cross_encoder import Form, expected, write_cross_encoder

from quipu.errors import BadInput, Conflict, EmbeddingError, ModelMissing
from quipu.kernel.embedding.stored import GRAPH, TOKENIZER, list_models
from quipu.kernel.rerank.installation import add_reranker
from quipu.kernel.rerank.local import LocalReranker
from quipu.kernel.rerank.stored import find_reranker, list_rerankers, shelf

QUESTION, TEXT = "Where does Ana live?", "Ana does live in Lisbon."


def test_an_added_one_can_be_found_and_scores_and_is_no_embedding_model(tmp_path: Path) -> None:
    added = add_reranker(write_cross_encoder(tmp_path / "tiny"), home=tmp_path / "home")
    assert (added.name, added.max_tokens) == ("tiny", 512)
    assert find_reranker("tiny", home=tmp_path / "home") == added
    assert list_rerankers(tmp_path / "home") == [added]
    assert [model.bundled for model in list_models(tmp_path / "home")] == [True]
    found = LocalReranker(added).opened().log_odds(QUESTION, TEXT)
    assert found == pytest.approx(expected(QUESTION, TEXT))


@pytest.mark.parametrize(("form", "factor"), [("logits", 1), ("flat", 1), ("two labels", 2)])
def test_graphs_of_each_form_are_read(tmp_path: Path, form: Form, factor: int) -> None:
    added = add_reranker(write_cross_encoder(tmp_path / "tiny", form=form), home=tmp_path)
    found = LocalReranker(added).opened().log_odds(QUESTION, TEXT)
    assert found == pytest.approx(factor * expected(QUESTION, TEXT))


@pytest.mark.parametrize("inputs", [("input_ids",), ("input_ids", "attention_mask")])
def test_a_graph_gets_the_inputs_that_it_has(tmp_path: Path, inputs: tuple[str, ...]) -> None:
    added = add_reranker(write_cross_encoder(tmp_path / "tiny", inputs=inputs), home=tmp_path)
    found = LocalReranker(added).opened()
    assert found.log_odds(QUESTION, TEXT) > found.log_odds(QUESTION, "The boat.")


def test_without_onnx_installed_it_is_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_cross_encoder(tmp_path / "tiny", place=f"onnx/{GRAPH}")
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert add_reranker(source, home=tmp_path / "home", name="mine").name == "mine"


@pytest.mark.parametrize(
    ("config", "tokens"),
    [
        ({"max_position_embeddings": 514, "model_type": "xlm-roberta"}, 512),
        ({"max_position_embeddings": 130, "model_type": "roberta"}, 128),
        ({"max_position_embeddings": 8192}, 512),
        ({"max_position_embeddings": 64}, 64),
    ],
)
async def test_it_reads_as_many_tokens_as_it_has_positions(
    tmp_path: Path, config: dict[str, object], tokens: int
) -> None:
    added = add_reranker(write_cross_encoder(tmp_path / "tiny", config=config), home=tmp_path)
    assert added.max_tokens == tokens
    reranker = LocalReranker(added)
    await reranker.load()
    assert len(await reranker.score("ana " * 500, ["lisbon " * 5_000])) == 1


@pytest.mark.parametrize("form", ["three labels", "not a number"])
def test_what_gives_no_score_is_refused_and_leaves_nothing_behind(tmp_path: Path, form: Form) -> None:
    source = write_cross_encoder(tmp_path / "source", form=form)
    with pytest.raises(BadInput, match="does not run: it gave"):
        add_reranker(source, home=tmp_path)
    assert list(shelf(tmp_path).iterdir()) == []


def test_a_graph_that_wants_something_else_is_refused_with_its_name(tmp_path: Path) -> None:
    source = write_cross_encoder(tmp_path / "source", inputs=("input_ids", "pixel_values"))
    with pytest.raises(BadInput, match="pixel_values"):
        add_reranker(source, home=tmp_path)


def test_a_file_that_is_no_graph_is_refused(tmp_path: Path) -> None:
    source = write_cross_encoder(tmp_path / "source")
    (source / GRAPH).write_bytes(b"no graph at all")
    with pytest.raises(BadInput, match="does not run"):
        add_reranker(source, home=tmp_path)
    assert list(shelf(tmp_path).iterdir()) == []


@pytest.mark.parametrize("name", [GRAPH, TOKENIZER])
def test_a_directory_without_a_file_says_which(tmp_path: Path, name: str) -> None:
    source = write_cross_encoder(tmp_path / "source")
    (source / name).unlink()
    with pytest.raises(BadInput, match=f"has no {name}"):
        add_reranker(source, home=tmp_path)


@pytest.mark.parametrize(
    "config", ["not JSON", '{"max_position_embeddings": "many"}', '{"max_position_embeddings": 4}']
)
def test_a_config_that_makes_no_sense_is_refused(tmp_path: Path, config: str) -> None:
    source = write_cross_encoder(tmp_path / "source")
    (source / "config.json").write_text(config)
    with pytest.raises(BadInput, match=r"config\.json"):
        add_reranker(source, home=tmp_path)


def test_a_name_is_given_once_and_cannot_leave_its_directory(tmp_path: Path) -> None:
    source = write_cross_encoder(tmp_path / "tiny")
    add_reranker(source, home=tmp_path)
    with pytest.raises(Conflict, match="--name"):
        add_reranker(source, home=tmp_path)
    for name in ("../evil", ".hidden", "st:x"):
        with pytest.raises(BadInput, match="model's name"):
            add_reranker(source, home=tmp_path, name=name)


def test_a_home_that_cannot_be_written_is_an_error_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file, not a directory")
    with pytest.raises(EmbeddingError, match="Nothing was kept"):
        add_reranker(write_cross_encoder(tmp_path / "tiny"), home=tmp_path / "home")


async def test_files_that_were_changed_are_noticed(tmp_path: Path) -> None:
    added = add_reranker(write_cross_encoder(tmp_path / "tiny"), home=tmp_path)
    reranker = LocalReranker(added)
    reranker.verify()
    (added.directory / GRAPH).write_bytes(b"something else")
    with pytest.raises(ModelMissing, match="damaged"):
        reranker.verify()
    with pytest.raises(ModelMissing, match="cannot be loaded"):
        await reranker.load()
