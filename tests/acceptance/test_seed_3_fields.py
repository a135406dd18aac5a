"""Every field of an episode as "Data Schemas" describes it: formulas, scales, enumerations, constraints."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from math import exp
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import errors, sql
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb
from seed_0 import NOW

from quipu import Memory
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings

SPACE = "seed 3: every field"
TALKS = {
    "trip": (
        "Hi, I want to plan a trip to Lisbon in May.",
        "Great, when do you want to go?",
        "On 14 May. I decided to take the night train from Madrid.",
        "I'll send you a list of hotels tomorrow.",
        "I'm so happy, thank you! Bye!",
        "Goodbye!",
    ),
    "build": (
        "Hello, the build fails with an error in the parser.",
        "Which version of the compiler do you use?",
        "Version 14. I am really annoyed, it crashed three times today.",
        "I have no idea why. We should look at it again.",
    ),
    "garden": ("What grows in the shade?", "Ferns do.", "And in the sun?", "Tomatoes do."),
}
INTENTS = {
    *("exploration", "confirmation", "problem-solving", "planning"),
    *("reflection", "reframing", "evaluation", "recreational"),
}
ROW: dict[str, Any] = {
    "id": None,
    "intent": Jsonb({"type": "exploration", "direction": "open-ended"}),
    "context": Jsonb(
        {"situational": "at home", "conversational": "follow-up", "constraints": ["small budget"]}
    ),
    "action": "Looked at three telescopes.",
    "emotion": Jsonb({"type": "joy", "valence": "positive", "intensity": "low", "arc": "steady"}),
    "outcome": "The smaller telescope was chosen.",
    "gist": "Ana looked for a telescope and chose the smaller one.",
    "salience": 0.5,
    "freshness": 0.5,
    "topic": "astronomy",
    "salience_factors": Jsonb({"novelty": 2, "emotional": 2, "commitment": 1, "unresolved": True}),
}
Row = dict[str, Any]


@pytest.fixture(scope="module")
def clock() -> FrozenClock:
    return FrozenClock(NOW)


@pytest.fixture(scope="module")
def memory(accepting: Settings, address: str, clock: FrozenClock) -> Iterator[Memory]:
    """A memory in which three conversations were condensed by a worker."""
    with Memory(settings=accepting, clock=clock) as opened:
        for session, talk in TALKS.items():
            said = [
                {
                    "role": ("user", "assistant")[place % 2],
                    "content": text,
                    "time": clock.now() + timedelta(minutes=place),
                }
                for place, text in enumerate(talk)
            ]
            opened.observe(said, space=SPACE, session=session, user="ana")
            clock.advance(timedelta(minutes=10))  # so that the order of their beginnings is theirs
        clock.advance(timedelta(hours=5))
        assert opened.work(topics=("memory-chunker-queue", "episodic-memory-queue")).failed == 0
        yield opened


@pytest.fixture
def conn(address: str, memory: Memory) -> Iterator[psycopg.Connection[Row]]:
    """A transaction of the application in the space; it is undone."""
    assert memory
    path = "-c role=quipu_app -c search_path=episodes,public"
    with psycopg.connect(address, row_factory=dict_row, options=path) as opened:
        opened.execute("select core.enter(%s)", [SPACE])
        yield opened
        opened.rollback()


def insert(conn: psycopg.Connection[Row], **changes: object) -> Row:
    """INSERT INTO episodes with every column that the text demands; the row as it stands then.

    Its freshness is initially its salience, as the text says.
    """
    row = {**ROW, "id": uuid4(), **changes}
    row["freshness"] = changes.get("freshness", row["salience"])
    names = sql.SQL(", ").join(map(sql.Identifier, row))
    places = sql.SQL(", ").join(map(sql.Placeholder, row))
    conn.execute(sql.SQL("insert into episodes ({}) values ({})").format(names, places), row)
    (found,) = conn.execute("select * from episodes where id = %s", [row["id"]]).fetchall()
    return found


@pytest.fixture
def condensed(conn: psycopg.Connection[Row]) -> list[Row]:
    """What the worker made of the conversations."""
    found = conn.execute("select * from episodes where builder <> 'sql' order by started_at").fetchall()
    assert len(found) == len(TALKS)
    return found


@pytest.mark.parametrize("column", sorted(ROW.keys() - {"id", "freshness"}))
def test_what_the_text_calls_not_null_is_demanded(conn: psycopg.Connection[Row], column: str) -> None:
    with pytest.raises(errors.NotNullViolation):
        insert(conn, **{column: None})


def test_an_id_is_a_primary_key(conn: psycopg.Connection[Row]) -> None:
    again = insert(conn)["id"]
    with pytest.raises(errors.UniqueViolation):
        insert(conn, id=again)


def test_columns_that_are_left_out_have_the_defaults_of_the_text(conn: psycopg.Connection[Row]) -> None:
    row = insert(conn)
    (at,) = conn.execute("select now()").fetchall()
    assert (row["open_loops"], row["access_count"]) == ([], 0)
    assert (row["created_at"], row["updated_at"]) == (at["now"], at["now"])
    assert (row["exchange_id"], row["last_accessed_at"], row["deleted_at"]) == (None, None, None)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("salience", 1.01),
        ("salience", -0.01),
        ("intent", Jsonb(["exploration"])),
        ("context", Jsonb("at home")),
        ("emotion", Jsonb(3)),
        ("salience_factors", Jsonb([2, 2, 1])),
        ("open_loops", Jsonb({"question": "X"})),
    ],
)
def test_what_is_of_another_scale_or_shape_is_refused(
    conn: psycopg.Connection[Row], column: str, value: object
) -> None:
    with pytest.raises(errors.CheckViolation):
        insert(conn, **{column: value})


def test_every_column_is_read_as_it_was_written(conn: psycopg.Connection[Row]) -> None:
    loops = ["Question X remains unresolved", "Who pays?"]
    row = insert(conn, exchange_id="x-17", open_loops=Jsonb(loops))
    for column in ("action", "outcome", "gist", "topic", "salience"):
        assert row[column] == ROW[column]
    for column in ("intent", "context", "emotion", "salience_factors"):
        assert row[column] == ROW[column].obj
    assert (row["exchange_id"], row["open_loops"]) == ("x-17", loops)


def test_a_row_is_deleted_by_deleted_at_alone(conn: psycopg.Connection[Row]) -> None:
    row = insert(conn)
    with pytest.raises(errors.FeatureNotSupported, match="forgotten"), conn.transaction():
        conn.execute("delete from episodes where id = %s", [row["id"]])
    conn.execute("update episodes set deleted_at = now() where id = %s", [row["id"]])
    active = conn.execute("select id from episodes where deleted_at is null").fetchall()
    assert row["id"] not in [one["id"] for one in active]


def test_intent_has_a_type_and_a_direction_of_the_lists(condensed: list[Row]) -> None:
    for row in condensed:
        assert set(row["intent"]) == {"type", "direction"}
        assert row["intent"]["type"] in INTENTS
        assert row["intent"]["direction"] in {"open-ended", "narrowing", "decision-making", "sense-making"}
    assert {"planning", "problem-solving"} <= {row["intent"]["type"] for row in condensed}


def test_context_has_two_texts_and_a_list_of_constraints(condensed: list[Row]) -> None:
    for row in condensed:
        assert set(row["context"]) == {"situational", "conversational", "constraints"}
        assert isinstance(row["context"]["situational"], str)
        assert isinstance(row["context"]["conversational"], str)
        assert all(isinstance(one, str) for one in row["context"]["constraints"])


def test_emotion_has_a_type_a_valence_an_intensity_and_an_arc(condensed: list[Row]) -> None:
    for row in condensed:
        assert set(row["emotion"]) == {"type", "valence", "intensity", "arc"}
        assert row["emotion"]["valence"] in {"positive", "negative", "mixed", "neutral"}
        assert row["emotion"]["intensity"] in {"low", "medium", "high"}
    by_session = dict(zip(TALKS, condensed, strict=True))
    assert by_session["build"]["emotion"]["valence"] == "negative"


def test_a_gist_is_one_to_three_sentences_and_action_outcome_and_topic_are_texts(
    condensed: list[Row],
) -> None:
    for row in condensed:
        assert 1 <= len(re.findall(r"[^.!?]+[.!?]+(?:\s|$)", row["gist"])) <= 3, row["gist"]
        assert all(isinstance(row[column], str) for column in ("action", "outcome", "topic"))
    assert any("night train" in row["gist"] for row in condensed)
    assert all(row["topic"] for row in condensed)


def test_open_loops_are_an_array_of_what_is_unresolved(condensed: list[Row]) -> None:
    loops = [loop for row in condensed for loop in row["open_loops"]]
    assert any("list of hotels" in loop for loop in loops)
    assert all(isinstance(loop, str) for loop in loops)


def test_salience_is_the_formula_of_its_factors(condensed: list[Row]) -> None:
    """Base = 0.4 novelty + 0.4 emotional + 0.2 commitment of 0 to 3, x 1.25 if unresolved, in [0.1, 1.0]."""
    for row in condensed:
        factors = row["salience_factors"]
        assert set(factors) == {"novelty", "emotional", "commitment", "unresolved"}
        assert all(0 <= factors[name] <= 3 for name in ("novelty", "emotional", "commitment"))
        assert isinstance(factors["unresolved"], bool)
        base = 0.4 * factors["novelty"] + 0.4 * factors["emotional"] + 0.2 * factors["commitment"]
        weighed = base / 3 * (1.25 if factors["unresolved"] else 1)
        assert row["salience"] == pytest.approx(min(1.0, max(0.1, weighed)), abs=1e-3)
    assert {row["salience_factors"]["unresolved"] for row in condensed} == {True, False}


def inserted(conn: psycopg.Connection[Row], **changes: object) -> str:
    """An episode that stays, told in SQL."""
    row = insert(conn, **changes)
    conn.commit()
    conn.execute("select core.enter(%s)", [SPACE])
    return str(row["id"])


@pytest.mark.parametrize("salience", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("hours", [0, 1, 28, 1_000])
def test_freshness_is_worked_out_at_retrieval(
    memory: Memory, conn: psycopg.Connection[Row], clock: FrozenClock, salience: float, hours: int
) -> None:
    """e^(-decay x (1 - salience) x hours), with a decay of 0.05."""
    begun = clock.now() - timedelta(hours=hours)
    one = memory.episodes.get(inserted(conn, salience=salience, created_at=begun), space=SPACE)
    assert one.freshness == pytest.approx(exp(-0.05 * (1 - salience) * hours), abs=1e-4)


def test_the_view_fades_by_the_same_formula(conn: psycopg.Connection[Row]) -> None:
    (row,) = conn.execute("select now() - interval '10 hours' as begun").fetchall()
    row = insert(conn, salience=0.6, created_at=row["begun"])
    assert row["freshness"] == pytest.approx(exp(-0.05 * 0.4 * 10))


def test_a_retrieved_episode_is_boosted_and_counted(
    memory: Memory, conn: psycopg.Connection[Row], clock: FrozenClock
) -> None:
    """A boost of 0.2 of what is left to the ceiling, which is half way to 1: docs/decisions/fading.md."""
    gist = f"Zoraida keeps a comet catalogue called {uuid4().hex[:8]}."
    id_ = inserted(conn, gist=gist, outcome=gist, salience=0.4, created_at=clock.now() - timedelta(days=2))
    before = memory.episodes.get(id_, space=SPACE)
    assert memory.recall("comet catalogue of Zoraida", space=SPACE)
    assert memory.episodes.get(id_, space=SPACE) == before
    block = memory.recall_block("comet catalogue of Zoraida", budget_tokens=500, space=SPACE)
    assert gist in block.text
    after = memory.episodes.get(id_, space=SPACE)
    assert (after.uses, after.used_at) == (1, clock.now())
    assert after.salience == pytest.approx(0.4 + 0.5 * 0.6 * 0.2)
    assert (after.base_salience, after.freshness) == (0.4, 1)
    assert after.activation > before.activation
    (row,) = conn.execute("select * from episodes where id = %s", [id_]).fetchall()
    assert (row["access_count"], row["last_accessed_at"]) == (1, clock.now())
    assert row["salience"] == pytest.approx(after.salience)


def test_the_boost_and_the_decay_are_configurable(
    accepting: Settings, memory: Memory, conn: psycopg.Connection[Row], clock: FrozenClock
) -> None:
    id_ = inserted(conn, salience=0.4, created_at=clock.now() - timedelta(hours=10), access_count=1)
    usual = memory.episodes.get(id_, space=SPACE)
    memory.settings.set("episode_boost", 1.0, space=SPACE)
    memory.settings.set("episode_decay_per_hour", 0.0, space=SPACE)
    try:
        changed = memory.episodes.get(id_, space=SPACE)
    finally:
        memory.settings.reset("episode_boost", space=SPACE)
        memory.settings.reset("episode_decay_per_hour", space=SPACE)
    assert usual.salience == pytest.approx(0.4)  # as it was written, its use included
    base = (0.4 - 0.1) / 0.9
    assert (changed.salience, changed.freshness) == (pytest.approx(base + 0.5 * (1 - base), abs=1e-4), 1)
    assert usual.freshness < 1


@pytest.mark.parametrize("uses", [16, 17, 400])
def test_activation_rises_with_uses_and_the_whole_life_can_be_shown(
    memory: Memory, conn: psycopg.Connection[Row], clock: FrozenClock, uses: int
) -> None:
    begun = clock.now() - timedelta(days=9)
    unused = memory.episodes.get(inserted(conn, created_at=begun), space=SPACE)
    id_ = inserted(
        conn, created_at=begun, access_count=uses, last_accessed_at=clock.now() - timedelta(hours=1)
    )
    curve = memory.episodes.curve(id_, space=SPACE)
    assert curve.episode.activation > unused.activation
    assert all(0 <= point.state.activation <= 1 for point in curve.points)
    saliences = [point.state.salience for point in curve.points]
    assert saliences == sorted(saliences)
    assert (curve.episode.uses, saliences[-1]) == (uses, pytest.approx(curve.episode.salience, abs=1e-4))


def test_the_embedding_is_for_similarity_search(conn: psycopg.Connection[Row], memory: Memory) -> None:
    """``embedding`` has the length of the model in use, and the nearest in SQL is what recall finds first."""
    query = """
        select e.gist, e.embedding <=> t.embedding as distance
        from episodes e, (select embedding from episodes where gist like '%night train%') t
        where e.builder <> 'sql' order by distance
    """
    near = conn.execute(query).fetchall()
    assert len(near) == len(TALKS)
    assert near[0]["distance"] == pytest.approx(0, abs=1e-3)
    assert near[0]["distance"] < near[1]["distance"]
    (first, *_) = memory.recall("When does the night train leave Madrid?", space=SPACE, kinds=("episodes",))
    assert "night train" in first.text
    (row,) = conn.execute(
        "select embedding::text from episodes where gist = %s", [near[0]["gist"]]
    ).fetchall()
    assert len(json.loads(row["embedding"])) == 384
