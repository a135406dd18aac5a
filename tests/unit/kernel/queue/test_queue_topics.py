import json
from pathlib import Path

import pytest

from quipu.errors import BadInput, ConfigError
from quipu.kernel.queue.connections import SEED_TOPICS, chosen, names

SEED = {
    "chat_history": "llm-chat",
    "prompt_queue": "prompt-queue",
    "memory_chunker": "memory-chunker-queue",
    "episodic_memory": "episodic-memory-queue",
}


def file(directory: Path, held: object) -> Path:
    path = directory / "connections.json"
    path.write_text(held if isinstance(held, str) else json.dumps(held))
    return path


def test_the_topics_of_the_seed_have_the_names_of_the_seed() -> None:
    assert dict(SEED_TOPICS) == SEED
    assert names([], None) == SEED


def test_other_topics_are_called_by_their_own_names() -> None:
    assert names(["fact_finder"], None) == SEED | {"fact_finder": "fact-finder"}


@pytest.mark.parametrize("around", [True, False])
def test_a_file_of_the_seeds_form_gives_other_names(tmp_path: Path, around: bool) -> None:
    topics = {"chat_history": "chats", "fact_finder": "facts"}
    held = {"topics": topics} if around else topics
    assert names(["fact_finder"], file(tmp_path, held)) == SEED | topics


def test_the_file_of_the_seed_itself_changes_nothing(tmp_path: Path) -> None:
    assert names([], file(tmp_path, {"topics": SEED})) == SEED


def test_an_unknown_topic_is_named_with_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError,
        match=r"(?s)'episodes': no job here has it.*chat_history, episodic_memory, memory_chunker",
    ):
        names([], file(tmp_path, {"topics": {"episodes": "x"}}))


@pytest.mark.parametrize("name", ["", " ", 7, None, "x" * 51, "é" * 26, "a\nb", "a\ud800b"])
def test_a_name_that_no_queue_can_have_is_refused(tmp_path: Path, name: object) -> None:
    with pytest.raises(ConfigError, match="chat_history"):
        names([], file(tmp_path, {"chat_history": name}))


def test_two_topics_cannot_share_a_name(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="the same name"):
        names([], file(tmp_path, {"chat_history": "prompt-queue"}))


@pytest.mark.parametrize("held", ["{", "[]", "[" * 100_000, '"topics"', '{"topics": 3}'])
def test_a_file_that_is_something_else_says_what_it_should_be(tmp_path: Path, held: str) -> None:
    with pytest.raises(ConfigError, match="It looks like this"):
        names([], file(tmp_path, held))


def test_a_mark_of_the_order_of_bytes_is_no_part_of_the_file(tmp_path: Path) -> None:
    """Editors of Windows begin a file with it; it could not be read."""
    written = tmp_path / "connections.json"
    written.write_text('{"topics": {"chat_history": "chats"}}', "utf-8-sig")
    assert names([], written)["chat_history"] == "chats"


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="QUIPU_CONNECTIONS"):
        names([], tmp_path / "none.json")


def test_topics_are_chosen_by_either_name_and_none_means_all() -> None:
    assert chosen(["prompt_queue", "llm-chat"], SEED) == {"prompt_queue", "chat_history"}
    assert chosen([], SEED) == set(SEED)


def test_a_topic_that_nobody_works_on_is_named_with_those_that_there_are() -> None:
    with pytest.raises(BadInput, match=r"topics: nobody works on 'chat'.*prompt_queue \(prompt-queue\)"):
        chosen(["chat"], SEED)
