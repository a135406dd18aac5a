"""Reading what a model answered."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, RootModel

from quipu.kernel.language.answer import Fault, plain, read, words
from quipu.kernel.language.model import Reply


class Note(BaseModel):
    text: str
    count: int = 0


class Notes(RootModel[list[Note]]):
    pass


def fault(found: object) -> str:
    assert isinstance(found, Fault)
    return found.why


@settings(max_examples=50)
@given(st.text(), st.integers())
def test_what_was_written_as_json_is_read_back(text: str, count: int) -> None:
    note = Note.model_construct(text=text.encode("utf-8", "replace").decode(), count=count)
    written = note.model_dump_json()
    for answer in (written, f"```json\n{written}\n```", f"Sure:\n\n```\n{written}\n```\n"):
        assert read(Reply(answer), Note) == note


@settings(max_examples=50)
@given(st.text())
def test_no_text_is_too_odd_to_be_read(text: str) -> None:
    assert isinstance(read(Reply(text), Note), Note | Fault)
    assert isinstance(words(Reply(text)), str | Fault)


def test_of_two_blocks_the_first_that_fits_is_taken() -> None:
    answer = '```json\n{"form": 1}\n```\n```json\n{"text": "a"}\n```\n```json\n{"text": "b"}\n```'
    assert read(Reply(answer), Note) == Note(text="a")


def test_a_list_is_found_among_words() -> None:
    found = read(Reply('They are [{"text": "a"}, {"text": "b"}].'), Notes)
    assert found == Notes([Note(text="a"), Note(text="b")])


def test_the_reason_is_that_of_what_was_json_and_not_of_the_words_around_it() -> None:
    assert fault(read(Reply('Here: {"count": 3}.'), Note)) == "text: Field required."


def test_a_reason_names_where_and_never_what() -> None:
    answer = '[{"text": "a", "count": "Ana owes 40"}, {"count": 1}]'
    why = fault(read(Reply(answer), Notes))
    assert "0.count: " in why
    assert "1.text: " in why
    assert "Ana" not in why


def test_many_faults_are_told_in_short() -> None:
    why = fault(read(Reply("[" + "{}," * 2000 + "{}]"), Notes))
    assert why.endswith("; and 1996 more.")
    assert len(why) < 600


def test_an_answer_that_was_cut_off_is_no_answer() -> None:
    assert "cut off" in fault(words(Reply("She is", cut_off=True)))


def unthought(text: str) -> str:
    return plain(Reply(text)).text.strip()


def test_only_the_thinking_at_the_beginning_is_taken_away() -> None:
    assert unthought("<think>a</think> b <think>c</think>") == "b <think>c</think>"
    assert unthought("<think>never ended") == "<think>never ended"


def test_thinking_whose_first_mark_the_server_kept_is_taken_away() -> None:
    assert unthought("First I look {there}.\n</think>\n\n{}") == "{}"
    assert unthought('{"text": "</think> is a mark"}') == '{"text": "</think> is a mark"}'


def test_what_was_escaped_for_the_model_is_no_mark() -> None:
    assert unthought('Sure: {"text": "&lt;/think>"}') == 'Sure: {"text": "</think>"}'


def test_hostile_answers_are_read_in_linear_time() -> None:
    for unit in ("```\n", "<think>", "{", "[{", "```a\n```\n", "```a\n", "</think>"):
        assert isinstance(read(plain(Reply(unit * 20_000)), Note), Fault)
