from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import pytest

from generate import bank
from generate.answers import LONGEST, SHORTEST, Advice
from generate.weave import Cast, Style, Weaver
from generate.worlds import World, make, worlds
from quality.own import DATA, read

STYLE = Style(datetime(2025, 1, 1, tzinfo=UTC), days=30)
PAIR = Cast([("Ann", "Ben")])


def bank_of(text: str, folder: Path) -> bank.Bank:
    (folder / "one.txt").write_text(text, encoding="utf-8")
    return bank.read("one", folder)


@pytest.mark.parametrize("world", worlds(), ids=lambda world: world.name)
def test_the_committed_file_is_what_the_generator_makes(world: World):
    assert json.loads((DATA / f"{world.name}.json").read_text(encoding="utf-8")) == make(world)


@pytest.mark.parametrize("world", worlds(), ids=lambda world: world.name)
def test_a_kind_has_sixty_questions_in_two_halves_over_a_bounded_chat(world: World):
    conversation = read(DATA / f"{world.name}.json")
    halves = [question.half for question in conversation.questions]
    assert len(halves) >= 60
    assert min(halves.count("tune"), halves.count("report")) >= len(halves) // 3
    assert len(conversation.messages) < 1500
    assert len({message.id for message in conversation.messages}) == len(conversation.messages)
    times = [message.time for message in conversation.messages]
    assert None not in times


@pytest.mark.parametrize("world", worlds(), ids=lambda world: world.name)
def test_evidence_belongs_to_the_asking_user(world: World):
    conversation = read(DATA / f"{world.name}.json")
    users = {message.id: message.user for message in conversation.messages}
    for question in conversation.questions:
        assert {users[id_] for id_ in question.evidence} == {question.user}


def test_a_question_never_repeats_its_evidence():
    for world in worlds():
        conversation = read(DATA / f"{world.name}.json")
        said = {message.id: message.content.lower() for message in conversation.messages}
        for question in conversation.questions:
            assert all(question.text.lower().rstrip("?？") not in said[id_] for id_ in question.evidence)


def test_scenes_are_filled_and_their_evidence_is_marked(tmp_path: Path):
    text = "== k x1 :single\n@ thing: a cup ~ dish\nA: look\nB*: it is {thing}\n? Which {thing.q} has {B}?\n"
    weaver = Weaver(bank_of(text, tmp_path), PAIR, STYLE, Random(1))
    (session,) = weaver.weave()
    (question,) = weaver.questions
    (evidence,) = [line for line in session.lines if question.key in line.keys]
    assert evidence.text == "It is a cup"
    assert question.text == f"Which dish has {evidence.speaker}?"


def test_what_comes_later_comes_in_a_later_session(tmp_path: Path):
    text = "== k x2 :update\nA: before\n---\nB*: after\n? Q of {B}?\n"
    weaver = Weaver(bank_of(text, tmp_path), PAIR, STYLE, Random(1))
    sessions = sorted(weaver.weave(), key=lambda session: session.starts)
    assert sessions[0].lines[0].text == "Before"
    assert sessions[-1].lines[-1].text == "After"


def test_the_same_question_is_not_asked_of_one_person_twice(tmp_path: Path):
    text = "== k x3 :single\nB*: yes\n? Q of {B}?\n"
    weaver = Weaver(bank_of(text, tmp_path), PAIR, STYLE, Random(1))
    with pytest.raises(ValueError, match="too few people"):
        weaver.weave()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("== k x1 :single\nA: hello\n", "a question is needed"),
        ("== k x1 :noise\nA: hello\n? Why?\n", "a question is needed"),
        ("== k x2 :noise\n@ a: one\nA: {a}\n", "needs 2 values"),
        ("== k x1 :noise\nhello\n", "not a line"),
        ("== k\nA: hello\n", "not the head"),
    ],
)
def test_a_broken_bank_is_refused(text: str, message: str, tmp_path: Path):
    with pytest.raises(ValueError, match=message):
        bank_of(text, tmp_path)


def test_a_long_answer_has_its_length_and_holds_the_fact():
    for seed in range(20):
        answer = Advice().answer("dog", "take the blue bowl.", Random(seed))
        assert "Take the blue bowl." in answer
        assert SHORTEST <= len(answer.split()) <= LONGEST + 40
