"""What an exchange leaves open and what resolves it: one case for each rule and each guard."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.kinds.episodes.extraction.loops.due import due
from quipu.kinds.episodes.extraction.loops.model import Loop, Standing
from quipu.kinds.episodes.extraction.loops.openings import opened
from quipu.kinds.episodes.extraction.loops.progress import Exchange, Followed, follow
from quipu.kinds.episodes.extraction.loops.reminders import FADED, line, most_urgent, urgency
from quipu.kinds.episodes.extraction.turns import SpokenTurn, sentences

MONDAY = datetime(2026, 3, 2, 10, tzinfo=UTC)
NUMBERS = count(1)


def talk(*lines: str, begin: int = 0) -> list[SpokenTurn]:
    """Lines of "U: …", "A: …" or "NAME: …"."""
    turns: list[SpokenTurn] = []
    for place, text in enumerate(lines, begin):
        voice, said = text.split(": ", 1)
        named = {"U": "user", "A": "assistant"}.get(voice, voice)
        turns.append(SpokenTurn(place, named, voice == "A", said, MONDAY + timedelta(minutes=place)))
    return turns


def kinds(*lines: str) -> list[str]:
    return [one.kind for one in opened(talk(*lines))]


def followed(*lines: str, mark: int = -1, standing: list[Standing] | None = None) -> Followed:
    return follow(
        Exchange(talk(*lines), mark),
        before=(),
        standing=standing or [],
        known=set(),
        new_id=lambda: UUID(int=next(NUMBERS)),
    )


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("I'll send the contract to Dana tomorrow.", "promise"),
        ("I promised my sister to fix her bike.", "promise"),
        ("Remind me to water the plants on Friday.", "task"),
        ("TODO: rotate the API keys this week.", "task"),
        ("I'm waiting for the landlord to confirm the date.", "waiting"),
        ("We haven't heard from the caterer yet.", "waiting"),
        ("Let me know how the interview goes.", "followup"),
        ("Let's come back to the caching question later.", "followup"),
        ("We have not decided yet which database to use.", "question"),
    ],
)
def test_what_people_leave_open_is_found(said: str, kind: str) -> None:
    assert kinds(f"U: {said}", "A: Good.") == [kind]


@pytest.mark.parametrize(
    "said",
    [
        "I'll have the soup, please.",
        "I'll run it now.",
        "If I win the lottery I'll buy you a server farm.",
        'My boss said "I\'ll send it tomorrow", as always.',
        "`TODO: handle errors`",
        "```\nTODO: handle errors\n```",
        "Who would have thought it would rain again?",
        "Yesterday I finished the marathon.",
    ],
)
def test_what_only_sounds_like_it_is_left_alone(said: str) -> None:
    assert kinds(f"U: {said}", "A: Good.") == []


def test_an_agent_that_says_what_it_does_now_promises_nothing() -> None:
    assert kinds("U: Fix the test.", "A: I'll open parser.py and fix the test.") == []
    assert kinds("U: Fix the test.", "A: I'll fix the test tomorrow.") == ["promise"]


def test_courtesy_is_no_loop() -> None:
    assert kinds("U: Thanks.", "A: Let me know if you have any other questions.") == []


def test_a_question_answered_by_a_promise_is_one_loop_in_the_words_of_both() -> None:
    (one,) = opened(talk("U: Does the museum have a cloakroom?", "A: I will ask them and come back to you."))
    assert (one.kind, one.message, one.messages) == ("promise", 1, (0, 1))
    assert one.text == "Does the museum have a cloakroom? I will ask them and come back to you."


def test_a_question_that_is_answered_is_not_open() -> None:
    assert kinds("U: When does it open?", "A: At ten.") == []
    assert kinds("U: When does it open?", "A: I don't know.") == ["question"]
    assert kinds("U: When does it open?") == ["question"]


def test_what_an_agent_needs_to_know_is_open_where_the_next_words_are_about_something_else() -> None:
    before = talk("U: Plan a weekend in Ghent.", "A: Happy to. What is your budget?")
    elsewhere = talk("U: Which trains go there from Brussels?", begin=2)
    assert [one.kind for one in opened(elsewhere, before=before)] == ["question", "question"]
    answer = talk("U: 300 euros.", begin=2)
    assert opened(answer, before=before) == []


def loops_of(*lines: str) -> list[Standing]:
    return [
        Standing(
            id=UUID(int=next(NUMBERS)),
            kind=one.kind,
            message=one.message - 100,
            voice=one.voice,
            text=one.text,
            things=one.things,
            verbs=one.verbs,
        )
        for one in opened(talk(*lines))
    ]


@pytest.mark.parametrize(
    ("loop", "said", "outcome"),
    [
        ("I'll send the contract to Dana tomorrow.", "I sent the contract to Dana.", "resolved"),
        ("I'll send the contract to Dana tomorrow.", "The contract for Dana is done.", "resolved"),
        ("I'll send the contract to Dana tomorrow.", "Never mind the contract for Dana.", "dropped"),
        ("I'll send the contract to Dana tomorrow.", "I talked to Dana about the contract.", None),
        ("I'll send the contract to Dana tomorrow.", "I haven't sent the contract to Dana yet.", None),
        ("I'll send the contract to Dana tomorrow.", "I will send the contract to Dana on Friday.", None),
        ("I'll send the contract to Dana tomorrow.", "I sent the invoice to Omar.", None),
        ("I'll send the contract to Dana tomorrow.", "Have you sent the contract to Dana?", None),
        ("We haven't heard from the caterer yet.", "The caterer answered.", "resolved"),
        ("We haven't heard from the caterer yet.", "The caterer is nice.", None),
    ],
)
def test_a_loop_is_resolved_by_what_is_about_the_same_and_says_so(
    loop: str, said: str, outcome: str | None
) -> None:
    done = followed(f"U: {said}", "A: Good.", standing=loops_of(f"U: {loop}", "A: Good.")).resolved
    assert [one.outcome for one in done] == ([] if outcome is None else [outcome])


def test_yes_done_resolves_what_was_asked_just_before() -> None:
    loop = loops_of("U: I'll send Hanna the report this afternoon.", "A: Good.")
    done = followed("A: Did you send Hanna the report?", "U: Yes, done.", standing=loop).resolved
    assert [one.evidence for one in done] == ["Yes, done."]
    assert followed("A: Did you send Hanna the report?", "U: Yes, almost.", standing=loop).resolved == []


def test_a_question_that_is_answered_late_is_closed_by_the_answer() -> None:
    first = followed("U: When does the library open?")
    ((id_, one),) = first.opened
    open_still = Standing(
        id=id_, kind=one.kind, message=one.message, voice=one.voice, text=one.text,
        things=one.things, verbs=one.verbs,
    )  # fmt: skip
    later = follow(
        Exchange(talk("U: When does the library open?", "A: At ten."), 0),
        before=(), standing=[open_still], known={(0, "question")}, new_id=lambda: UUID(int=0),
    )  # fmt: skip
    assert [(done.id, done.evidence) for done in later.resolved] == [(id_, "At ten.")]
    assert later.opened == []


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("by friday", "2026-03-06"),
        ("on monday", "2026-03-09"),
        ("tomorrow", "2026-03-03"),
        ("tonight", "2026-03-02"),
        ("this week", "2026-03-08"),
        ("next week", "2026-03-15"),
        ("in ten days", "2026-03-12"),
        ("by the 31st", "2026-03-31"),
        ("by the thirty-first", "2026-03-31"),
        ("before the ninth of march", "2026-03-09"),
        ("before the 1st", "2026-04-01"),
        ("on april 5th", "2026-04-05"),
        ("on 1 march", "2027-03-01"),
        ("by 2026-05-01", "2026-05-01"),
        ("next month", "2026-04-30"),
        ("on february 30th", None),
        ("some day", None),
    ],
)
def test_a_day_that_is_named_is_due_at_its_end(said: str, day: str | None) -> None:
    expected = None if day is None else datetime.fromisoformat(f"{day}T00:00:00+00:00") + timedelta(days=1)
    assert due(f"i'll do it {said}.", said_at=MONDAY) == expected


def loop_of(**changed: object) -> Loop:
    values: dict[str, object] = {
        "id": UUID(int=1), "kind": "promise", "state": "open", "text": "I'll call Ana.", "by": "user",
        "user": None, "session": "s", "message": "m", "said_at": MONDAY, "due": None, "mentions": 1,
        "closed_at": None, "outcome": None, "evidence": None, "evidence_message": None, "reopened": 0,
        **changed,
    }  # fmt: skip
    return Loop(**values)  # type: ignore[arg-type]


@settings(max_examples=50)
@given(
    st.integers(-400, 400).map(timedelta),
    st.none() | st.integers(-400, 400).map(timedelta),
    st.integers(1, 9),
)
def test_urgency_is_a_share_and_falls_with_silence(
    since: timedelta, ahead: timedelta | None, mentions: int
) -> None:
    now = MONDAY + since
    loop = loop_of(due=None if ahead is None else MONDAY + ahead, mentions=mentions)
    assert 0.0 <= urgency(loop, now=now) <= 1.0
    if ahead is None:
        assert urgency(loop, now=now + timedelta(days=30)) <= urgency(loop, now=now)


def test_what_is_due_comes_first_and_what_is_old_is_not_reminded_of() -> None:
    due_soon = loop_of(id=UUID(int=2), due=MONDAY + timedelta(days=1))
    fresh, old = loop_of(id=UUID(int=3)), loop_of(id=UUID(int=4), said_at=MONDAY - timedelta(days=200))
    assert most_urgent([old, fresh, due_soon], now=MONDAY, limit=5) == [due_soon, fresh]
    assert urgency(old, now=MONDAY) < FADED
    assert line(due_soon, now=MONDAY) == "user, 2026-03-02: I'll call Ana. (due 2026-03-03)"


@settings(max_examples=50)
@given(st.text(max_size=400))
def test_no_text_breaks_the_rules(text: str) -> None:
    turns = [SpokenTurn(0, "user", False, text, MONDAY), SpokenTurn(1, "assistant", True, text, MONDAY)]
    found = opened(turns)
    assert all(one.text and one.message in one.messages for one in found)
    assert len(sentences(text)) <= 60


def test_a_megabyte_is_read() -> None:
    assert len(opened([SpokenTurn(0, "user", False, "I'll call Ana tomorrow. " * 42_000, MONDAY)])) <= 60
