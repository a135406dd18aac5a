"""The view ``episodes.episodes`` works out what fading says, and follows SQL that is written to it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from psycopg.errors import FeatureNotSupported

from quipu import AsyncMemory
from quipu.kernel.db.database import Database
from quipu.kinds.episodes.decay.life import EpisodeLife, Pace, state

NOW = datetime(2026, 3, 1, tzinfo=UTC)
SPACE = "sql"

pytestmark = pytest.mark.anyio

LIVES = [
    EpisodeLife(base=0.5, happened_at=NOW - timedelta(hours=5)),
    EpisodeLife(base=0.1, happened_at=NOW - timedelta(days=900)),
    EpisodeLife(base=1.0, happened_at=NOW + timedelta(days=1)),
    EpisodeLife(base=0.3, happened_at=NOW - timedelta(days=30), uses=1, recent=[NOW - timedelta(seconds=5)]),
    EpisodeLife(
        base=0.7,
        happened_at=NOW - timedelta(days=400),
        uses=200,
        recent=[NOW - timedelta(days=day) for day in range(16, 0, -1)],
    ),
    EpisodeLife(base=0.7, happened_at=NOW - timedelta(days=1), uses=9, recent=[NOW - timedelta(days=1)]),
    EpisodeLife(base=0.2, happened_at=NOW - timedelta(days=1), uses=10_000, recent=[NOW - timedelta(days=1)]),
    EpisodeLife(
        base=0.2,
        happened_at=NOW - timedelta(days=1),
        uses=3,
        recent=[NOW - timedelta(hours=hours) for hours in (3, 2, 1)],
        pace=Pace(boost=1.0),
    ),
]

INSERT = """
insert into episodes.episodes (id, intent, context, action, emotion, outcome, gist, salience, freshness,
    topic, exchange_id, salience_factors, open_loops, created_at)
values (gen_random_uuid(), '{"type": "planning", "direction": "narrowing"}', '{"situational": "at home"}',
    'Compared two boats.', '{"type": "joy", "valence": "positive", "intensity": "low", "arc": "steady"}',
    'The blue boat was chosen.', 'Ana chose the blue boat.', 0.6, 0.6, 'boats', 'x1',
    '{"novelty": 2, "emotional": 2, "commitment": 1, "unresolved": false}', '["Who paints it?"]',
    now() - interval '5 hours')
returning id
"""


@pytest.mark.parametrize("life", LIVES)
async def test_sql_and_python_agree_on_every_life(database: Database, life: EpisodeLife) -> None:
    async with database.unscoped() as conn:
        row = await conn.execute(
            """
            select s, episodes.fresh(s, episodes.hours(%(last)s, %(now)s), %(decay)s),
                episodes.activation(%(happened)s, %(uses)s, %(recent)s::timestamptz[], %(now)s)
            from episodes.raised(%(base)s, %(uses)s, %(boost)s) s
            """,
            {
                "base": life.base,
                "decay": life.pace.decay_per_hour,
                "boost": life.pace.boost,
                "uses": life.uses,
                "happened": life.happened_at,
                "last": max([life.happened_at, *life.recent]),
                "recent": list(life.recent),
                "now": NOW,
            },
        )
        found = await row.fetchone()
    expected = state(life, NOW)
    assert found is not None
    assert found == pytest.approx((expected.salience, expected.freshness, expected.activation))


async def test_what_sql_inserts_is_found_fades_and_is_found_as_it_was_changed(
    memory: AsyncMemory, database: Database
) -> None:
    async with database.write(SPACE) as tx:
        row = await (await tx.conn.execute(INSERT)).fetchone()
    assert row is not None
    (hit,) = await memory.recall("blue boat", space=SPACE)
    assert (hit.source.message, hit.kind) == (str(row[0]), "episodes")
    async with database.write(SPACE) as tx:
        shown = await (
            await tx.conn.execute(
                "select salience, freshness, activation_score, access_count, embedding is not null"
                " from episodes.episodes"
            )
        ).fetchone()
        assert shown is not None
        assert shown[0] == 0.6
        assert shown[1] == pytest.approx(2.718281828 ** (-0.05 * 0.4 * 5), abs=1e-3)
        assert 0.5 < shown[2] < 1
        assert shown[3:] == (0, True)
        await tx.conn.execute("update episodes.episodes set gist = 'Ana chose the red canoe.', outcome = ''")
    assert await memory.recall("blue boat", space=SPACE) == []
    (hit,) = await memory.recall("red canoe", space=SPACE)
    (before,) = await memory.episodes.history(row[0], space=SPACE)
    assert before.gist == "Ana chose the blue boat."
    async with database.write(SPACE) as tx:
        await tx.conn.execute(
            "update episodes.episodes set access_count = access_count + 1, last_accessed_at = now()"
        )
    assert (await memory.episodes.get(row[0], space=SPACE)).uses == 1
    async with database.write(SPACE) as tx:
        await tx.conn.execute("update episodes.episodes set deleted_at = now()")
    assert await memory.recall("red canoe", space=SPACE) == []
    assert (await memory.episodes.unarchive(row[0], space=SPACE)).deleted_at is None
    assert len(await memory.recall("red canoe", space=SPACE)) == 1


async def test_sql_that_deletes_is_told_the_way(memory: AsyncMemory, database: Database) -> None:
    async with database.write(SPACE) as tx:
        await tx.conn.execute(INSERT)
    with pytest.raises(Exception, match="forgotten with what it was made of") as refused:
        async with database.write(SPACE) as tx:
            await tx.conn.execute("delete from episodes.episodes")
    assert isinstance(refused.value.__cause__, FeatureNotSupported)
    assert len(await memory.episodes.list(space=SPACE)) == 1


async def test_only_the_latest_sixteen_uses_keep_their_times(memory: AsyncMemory, database: Database) -> None:
    async with database.write(SPACE) as tx:
        row = await (await tx.conn.execute(INSERT)).fetchone()
        assert row is not None
        for use in range(40):
            await tx.conn.execute(
                "select episodes.note_use(%s, %s, now() + %s * interval '1 hour')", (row[0], use + 1, use)
            )
    async with database.snapshot_read(SPACE) as tx:
        assert tx is not None
        kept = await (
            await tx.conn.execute("select count(*), max(accessed_at) from episodes.accesses")
        ).fetchone()
    one = await memory.episodes.get(row[0], space=SPACE)
    assert kept is not None
    assert (kept[0], one.uses, one.used_at) == (16, 40, kept[1])


async def test_an_episode_that_was_used_ten_thousand_times_is_listed_and_shown_as_any_other(
    memory: AsyncMemory, database: Database
) -> None:
    async with database.write(SPACE) as tx:
        await tx.conn.execute(INSERT)
        await tx.conn.execute("update episodes.episodes set access_count = 10000, last_accessed_at = now()")
        shown = await (await tx.conn.execute("select salience from episodes.episodes")).fetchone()
        assert shown == (pytest.approx(0.8),)
    (episode,) = await memory.episodes.list(space=SPACE, order="salience")
    assert (episode.uses, episode.salience) == (10_000, pytest.approx(0.8))
    (now, *_) = (await memory.episodes.curve(episode.id, space=SPACE, points=2)).points
    assert now.state.salience <= 0.8
    assert (await memory.episodes.stats(space=SPACE)).salience == pytest.approx(0.8)
