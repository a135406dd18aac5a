"""The kinds written down as transcripts: their files load, their marks resolve, and they are large enough."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from generate import transcript
from generate.histories import History, histories, make
from quality.model import Conversation, Question
from quality.own import DATA, read
from quality.run import ask


def conversation(name: str) -> Conversation:
    return read(DATA / f"{name}.json")


def marked(name: str) -> set[str]:
    """The messages that some question is about."""
    questions = conversation(name).questions
    return {id_ for q in questions for id_ in (*q.evidence, *q.newest, *q.outdated)}


def history_of(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> History:
    (folder / "one.txt").write_text(text, encoding="utf-8")
    monkeypatch.setattr("generate.histories.read", lambda name: transcript.read(name, folder))
    return History("one", 1, {"one": None})


@pytest.mark.parametrize("history", histories(), ids=lambda history: history.name)
def test_the_committed_file_is_what_the_generator_makes(history: History):
    assert json.loads((DATA / f"{history.name}.json").read_text(encoding="utf-8")) == make(history)


@pytest.mark.parametrize("history", histories(), ids=lambda history: history.name)
def test_a_file_is_sound(history: History):
    told = conversation(history.name)
    users = {message.id: message.user for message in told.messages}
    said = {message.id: message.content.lower() for message in told.messages}
    assert len(users) == len(told.messages)
    assert [m.time for m in told.messages] == sorted(m.time or "" for m in told.messages)
    assert Counter((q.text, q.user) for q in told.questions).most_common(1)[0][1] == 1
    halves = Counter(question.half for question in told.questions)
    assert min(halves.values()) >= len(told.questions) // 3
    for question in told.questions:
        assert bool(question.answer) == question.was_told
        assert all(users[id_] == question.user for id_ in (*question.evidence, *question.outdated))
        assert all(question.text.lower().rstrip("?") not in said[id_] for id_ in question.evidence)


def test_updates_have_pairs_of_every_manner_among_other_messages():
    told = conversation("updates")
    times = {message.id: message.time or "" for message in told.messages}
    pairs = {question.newest: question for question in told.questions if question.asks == "present"}
    other = {question.newest for question in told.questions if question.asks != "present"}
    assert len(pairs) >= 66
    assert len(other) >= len(pairs) * 2 // 3
    assert len(told.messages) - len(marked("updates")) >= 450
    manners = Counter(question.category for question in pairs.values())
    assert set(manners) == {"explicit", "implicit", "corrected", "ended", "reminiscence", "three"}
    for question in pairs.values():
        assert question.evidence == question.newest
        (now,) = (times[id_] for id_ in question.newest)
        before = [times[id_] < now for id_ in question.outdated]
        assert any(before)
        if question.category != "three":
            assert all(before) == (question.category != "reminiscence")


def test_what_is_asked_of_an_update_decides_the_evidence():
    for question in conversation("updates").questions:
        wanted = {
            "present": question.newest,
            "past": question.outdated,
            "change": tuple(sorted({*question.outdated, *question.newest})),
        }
        assert question.asks is not None
        assert question.evidence == wanted[question.asks]


def test_the_halves_of_updates_share_neither_speaker_nor_user():
    told = conversation("updates")
    who = {message.id: message.user or message.speaker for message in told.messages}
    tune, report = (
        {who[id_] for q in told.questions if q.half == half for id_ in q.evidence}
        for half in ("tune", "report")
    )
    assert not tune & report


def test_rules_are_many_and_some_are_ended():
    told = conversation("rules")
    ended = [question for question in told.questions if question.category == "ended"]
    rules = {question.evidence for question in told.questions if question.category == "rule"}
    assert len({id_ for ids in rules for id_ in ids}) + len(ended) >= 40
    assert len({question.user for question in told.questions}) == 4
    assert len(told.messages) - len(marked("rules")) >= 300
    assert len(ended) >= 6
    assert all(question.outdated and question.evidence == question.newest for question in ended)


def test_orders_have_four_to_twelve_messages_each():
    told = conversation("orders")
    assert len(told.questions) >= 36
    assert len(told.messages) >= 500
    assert all(4 <= len(question.evidence) <= 12 for question in told.questions)
    assert {question.category for question in told.questions} == {"list", "order", "story"}


def test_life_is_a_year_of_one_person():
    told = conversation("life")
    by_category = Counter(question.category for question in told.questions)
    assert sum(message.role == "user" for message in told.messages) >= 500
    assert by_category.pop("unknown") >= 30
    assert sum(by_category.values()) >= 90
    assert set(by_category) == {"fact", "event", "person", "cancelled", "number"}


def test_measures_leave_out_what_was_never_told():
    class First:
        name = "first"

        def rank(self, conversation: Conversation, questions: list[Question], *, depth: int):
            return [[conversation.messages[0].id] for _ in questions]

    told = conversation("life")
    unknown = tuple(question for question in told.questions if not question.was_told)
    one = replace(told, questions=(*unknown, told.questions[0]))
    assert [a.question for a in ask([First()], [one], depth=1, progress=lambda _: None)] == [
        told.questions[0]
    ]


def test_an_old_value_told_again_after_the_news_stays_outdated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    text = (
        "== ana\n2024-01-01 08:00\nU home.1: in Graz\n2024-05-01 08:00\nU home.2: in Turin\nS: oh\n"
        "2024-06-01 08:00\nU home.0: once in Graz\n? moved home present: where? => Turin\n"
    )
    (question,) = make(history_of(text, tmp_path, monkeypatch))["questions"]
    assert question["newest"] == ["one-0002"]
    assert question["outdated"] == ["one-0001", "one-0004"]
    assert question["user"] == "ana"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("== ana\n2024-01-02 08:00\nB: hello\n", "not a line"),
        ("== people\nAnn: hello\n", "not a line"),
        ("== ana\n2024-01-02 08:00\n2024-01-01 08:00\n", "backwards"),
        ("== ana\n? fact\n", "not a question"),
        ("== ana\n2024-01-02 08:00\nU a: hello\n? fact b: who? => me\n", "no line has the mark"),
    ],
)
def test_a_broken_transcript_is_refused(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with pytest.raises(ValueError, match=message):
        make(history_of(text, tmp_path, monkeypatch))
