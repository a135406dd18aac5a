"""Calls of FileSessionManager of Strands and of our repository, answered alike."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from uuid import uuid4

import pytest
from strands.session.file_session_manager import FileSessionManager
from strands.types.exceptions import SessionException
from strands.types.session import Session, SessionAgent, SessionMessage, SessionType

from quipu import Memory
from quipu.compat.strands import SessionRepository

MEMORY = Memory(os.environ["QUIPU_HOME"])
TIMES = ("created_at", "updated_at")


class Several:
    """A graph or a swarm, as far as a repository looks at it."""

    def __init__(self, id_, state):
        self.id = id_
        self._state = state

    def serialize_state(self):
        return self._state


def text(said, role="user"):
    return {"role": role, "content": [{"text": said}]}


CALL = {
    "role": "assistant",
    "content": [
        {"toolUse": {"toolUseId": "t1", "name": "weather", "input": {"z": 1, "a": [1.5, None, True]}}}
    ],
}
RESULT = {
    "role": "user",
    "content": [{"toolResult": {"toolUseId": "t1", "status": "success", "content": [{"text": "Rain.\0"}]}}],
}
IMAGE = {"role": "user", "content": [{"image": {"format": "png", "source": {"bytes": b"\x89PNG\0\xff"}}}]}
REASON = {
    "role": "assistant",
    "content": [{"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "x"}}}],
}
MESSAGES = {
    "text": text("Hello."),
    "empty": text(""),
    "no content": {"role": "user", "content": []},
    "unicode": text("Olá, 舟 🌊 e\u0301 \u202e\u2028\r\n\t"),
    "null": text("a\0b"),
    "secret": text("password: hunter2, sk-ant-api03-" + "a" * 90),
    "quipu's own words": text("<recalled-memory>\nx\n</recalled-memory>"),
    "large": text("word " * 50_000),
    "call": CALL,
    "result": RESULT,
    "image": IMAGE,
    "reasoning": REASON,
    "numbers": {"role": "user", "content": [{"json": {"n": 1e23, "i": 2**70, "f": 0.1}}]},
    "metadata": {**text("x"), "tracking_id": "0199-x", "metadata": {"usage": {"inputTokens": 3}}},
    "order": {"content": [{"text": "x"}], "role": "user"},
}


def message(number, said="Hello.", **named):
    return SessionMessage(message=said if isinstance(said, dict) else text(said), message_id=number, **named)


def agent(id_="bot", **state):
    return SessionAgent(agent_id=id_, state=state, conversation_manager_state={"removed_message_count": 0})


def session(id_="s"):
    return Session(session_id=id_, session_type=SessionType.AGENT)


@pytest.fixture
def theirs(tmp_path):
    return FileSessionManager("theirs", storage_dir=str(tmp_path))


@pytest.fixture
def ours():
    return SessionRepository(MEMORY, space=f"t{uuid4().hex}")


def shown(answer):
    """An answer without its times, where the order of keys counts."""
    if isinstance(answer, list):
        return [shown(one) for one in answer]
    if isinstance(answer, Session | SessionAgent | SessionMessage):
        return repr({name: value for name, value in answer.to_dict().items() if name not in TIMES})
    return repr(answer)


def outcome(repository, name, *arguments):
    try:
        return shown(getattr(repository, name)(*arguments))
    except (ValueError, TypeError, SessionException) as error:
        return type(error).__name__


def play(repository, calls):
    return [outcome(repository, *make()) for make in calls]


def both(theirs, ours, *calls):
    expected = play(theirs, calls)
    assert play(ours, calls) == expected
    return expected


START = (lambda: ("create_session", session()), lambda: ("create_agent", "s", agent()))


@pytest.mark.parametrize("said", MESSAGES.values(), ids=MESSAGES)
def test_a_message_comes_back_as_it_was_given(theirs, ours, said):
    answers = both(
        theirs,
        ours,
        *START,
        lambda: ("create_message", "s", "bot", message(0, said)),
        lambda: ("read_message", "s", "bot", 0),
        lambda: ("list_messages", "s", "bot"),
    )
    assert ours.read_message("s", "bot", 0).to_message() == said
    assert "Error" not in answers[-1]


def test_half_a_character_is_kept_where_a_file_cannot(theirs, ours):
    for repository in (theirs, ours):
        play(repository, START)
    half = message(0, "a\ud800b")
    assert outcome(theirs, "create_message", "s", "bot", half) == "UnicodeEncodeError"
    ours.create_message("s", "bot", half)
    assert ours.read_message("s", "bot", 0).message == half.message


def test_sessions_are_created_once_and_read_or_not(theirs, ours):
    both(
        theirs,
        ours,
        lambda: ("read_session", "s"),
        lambda: ("create_session", session()),
        lambda: ("create_session", session()),
        lambda: ("read_session", "s"),
        lambda: ("read_session", "other"),
        lambda: ("create_session", session("舟 🌊")),
        lambda: ("read_session", "舟 🌊"),
        lambda: ("delete_session", "nobody"),
        lambda: ("delete_session", "s"),
        lambda: ("read_session", "s"),
        lambda: ("delete_session", "s"),
        lambda: ("create_session", session()),
    )


def test_agents_are_created_changed_and_read(theirs, ours):
    both(
        theirs,
        ours,
        *START,
        lambda: ("read_agent", "s", "bot"),
        lambda: ("read_agent", "s", "nobody"),
        lambda: ("read_agent", "nobody", "bot"),
        lambda: ("update_agent", "s", agent(mood="glad", deep={"b": 1, "a": [1]}, data=b"\0x")),
        lambda: ("read_agent", "s", "bot"),
        lambda: ("update_agent", "s", agent("nobody")),
        lambda: ("create_agent", "s", agent(again=True)),
        lambda: ("read_agent", "s", "bot"),
        lambda: ("update_agent", "s", agent(bad={1, 2})),
        lambda: ("read_agent", "s", "bot"),
    )


def test_an_agent_keeps_when_it_was_created(theirs, ours):
    for repository in (theirs, ours):
        repository.create_session(session())
        first = agent()
        repository.create_agent("s", first)
        later = agent(new=True)
        repository.update_agent("s", later)
        assert repository.read_agent("s", "bot").created_at == first.created_at
        assert later.created_at == first.created_at
        repository.create_message("s", "bot", one := message(0))
        repository.update_message("s", "bot", message(0, "Changed."))
        assert repository.read_message("s", "bot", 0).created_at == one.created_at


@pytest.mark.parametrize("limit", [None, 0, 1, 3, 12, 100])
@pytest.mark.parametrize("offset", [0, 2, 11, 12, 50])
def test_messages_are_listed_in_the_order_of_their_numbers(theirs, ours, limit, offset):
    numbers = [3, 1, 11, 0, 2, 10, 9, 4, 8, 5, 7, 6]
    both(
        theirs,
        ours,
        *START,
        *(
            (lambda number=number: ("create_message", "s", "bot", message(number, str(number))))
            for number in numbers
        ),
        lambda: ("list_messages", "s", "bot", limit, offset),
    )


def test_a_message_is_redacted_and_what_is_missing_is_refused(theirs, ours):
    both(
        theirs,
        ours,
        *START,
        lambda: ("list_messages", "s", "bot"),
        lambda: ("list_messages", "s", "nobody"),
        lambda: ("list_messages", "nobody", "bot"),
        lambda: ("read_message", "s", "bot", 0),
        lambda: ("update_message", "s", "bot", message(0)),
        lambda: ("create_message", "s", "bot", message(0, "My key is 4711.")),
        lambda: (
            "update_message",
            "s",
            "bot",
            message(0, "My key is 4711.", redact_message=text("Redacted.")),
        ),
        lambda: ("read_message", "s", "bot", 0),
        lambda: ("create_message", "s", "bot", message(0, "Again.")),
        lambda: ("list_messages", "s", "bot"),
    )


@pytest.mark.parametrize("wrong", ["a/b", "/a", "a/", "../a", "a/../b"])
def test_an_id_with_a_slash_is_refused(theirs, ours, wrong):
    both(
        theirs,
        ours,
        *START,
        lambda: ("read_session", wrong),
        lambda: ("create_session", session(wrong)),
        lambda: ("delete_session", wrong),
        lambda: ("create_agent", "s", agent(wrong)),
        lambda: ("read_agent", "s", wrong),
        lambda: ("read_agent", wrong, "bot"),
        lambda: ("list_messages", "s", wrong),
        lambda: ("create_message", "s", wrong, message(0)),
        lambda: ("create_multi_agent", "s", Several(wrong, {})),
        lambda: ("read_multi_agent", "s", wrong),
    )


@pytest.mark.parametrize("wrong", ["0", None, 1.5, [], "../x"])
def test_a_number_of_a_message_that_is_none_is_refused(theirs, ours, wrong):
    both(
        theirs,
        ours,
        *START,
        lambda: ("create_message", "s", "bot", message(wrong)),
        lambda: ("read_message", "s", "bot", wrong),
        lambda: ("update_message", "s", "bot", message(wrong)),
    )


def test_states_of_several_agents_are_kept(theirs, ours):
    both(
        theirs,
        ours,
        *START,
        lambda: ("read_multi_agent", "s", "graph"),
        lambda: ("update_multi_agent", "s", Several("graph", {})),
        lambda: ("create_multi_agent", "s", Several("graph", {"z": [1], "a": {"b": None}})),
        lambda: ("read_multi_agent", "s", "graph"),
        lambda: ("update_multi_agent", "s", Several("graph", {"done": True})),
        lambda: ("read_multi_agent", "s", "graph"),
        lambda: ("read_multi_agent", "s", "bot"),
        lambda: ("delete_session", "s"),
        lambda: ("read_multi_agent", "s", "graph"),
    )


def test_sessions_and_agents_know_nothing_of_each_other(theirs, ours):
    both(
        theirs,
        ours,
        *START,
        lambda: ("create_session", session("s2")),
        lambda: ("create_agent", "s2", agent()),
        lambda: ("create_agent", "s", agent("bot2")),
        lambda: ("create_message", "s", "bot", message(0, "one")),
        lambda: ("create_message", "s2", "bot", message(0, "two")),
        lambda: ("create_message", "s", "bot2", message(0, "three")),
        lambda: ("list_messages", "s", "bot"),
        lambda: ("list_messages", "s2", "bot"),
        lambda: ("list_messages", "s", "bot2"),
        lambda: ("delete_session", "s"),
        lambda: ("list_messages", "s2", "bot"),
        lambda: ("read_agent", "s", "bot"),
    )


def test_messages_of_many_threads_are_all_there(theirs, ours):
    for repository in (theirs, ours):
        play(repository, START)
        create = partial(repository.create_message, "s", "bot")
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(create, [message(number, str(number)) for number in range(64)]))
    assert shown(ours.list_messages("s", "bot")) == shown(theirs.list_messages("s", "bot"))


def test_of_many_threads_one_creates_the_session(ours):
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: outcome(ours, "create_session", session()), range(16)))
    assert answers.count("SessionException") == 15


def test_a_thousand_messages_and_more_are_listed(ours):
    play(ours, START)
    for number in range(1_005):
        ours.create_message("s", "bot", message(number, ""))
    assert [one.message_id for one in ours.list_messages("s", "bot")] == list(range(1_005))
    assert len(ours.list_messages("s", "bot", limit=1_003, offset=1)) == 1_003
    ours.delete_session("s")
    with pytest.raises(SessionException, match="no agent"):
        ours.list_messages("s", "bot")


def test_two_users_are_forgotten_one_by_one():
    space = f"t{uuid4().hex}"
    ana, bob = (SessionRepository(MEMORY, space=space, path=name, user=name) for name in ("ana", "bob"))
    for repository in (ana, bob):
        play(repository, START)
        repository.create_message("s", "bot", message(0, f"I am {repository._user}."))
    MEMORY.forget(space=space, user="ana", confirm=True)
    assert ana.read_session("s") is None
    assert bob.read_message("s", "bot", 0).message == text("I am bob.")


def test_recall_finds_what_was_said_and_not_what_was_redacted():
    space = f"t{uuid4().hex}"
    ours = SessionRepository(MEMORY, space=space)
    play(ours, START)
    ours.create_message("s", "bot", message(0, "The boat is moored in Horta."))
    assert MEMORY.recall("Where is the boat moored?", space=space)[0].text == "The boat is moored in Horta."
    redacted = message(0, "The boat is moored in Horta.", redact_message=text("Taken out."))
    ours.update_message("s", "bot", redacted)
    assert "Horta" not in "".join(hit.text for hit in MEMORY.recall("Where is the boat moored?", space=space))
