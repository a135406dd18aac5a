"""Two programs write for several users in several sessions: both see, and saw at each moment, the same."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from long_form import sized

from quipu.errors import BadInput
from quipu.kernel.base.clock import FrozenClock
from quipu.kernel.config import Settings
from quipu.kernel.db.database import Database
from quipu.kinds.ledger.ledger import AsyncLedger
from quipu.kinds.ledger.model import Value

pytestmark = [pytest.mark.anyio, pytest.mark.long]

NUMBERS = count()
START = datetime(2026, 3, 14, 12, tzinfo=UTC)
WHOSE: list[dict[str, Any]] = [
    {"session": "of ana", "user": "ana"},
    {"session": "of bob", "user": "bob"},
    {"session": "of both"},
    {"user": "ana"},
    {"user": "bob"},
]
# The first program registers the first two, the second one the others; "colour" is anybody's.
KEYS = ["constraint.diet", "crew.{boat}", "limit", "preference.tea", "colour"]
VALUES = [{"avoids": ["nuts"]}, {"avoids": []}, 3, 4, "green", ["a"], None]
Step = tuple[int, str, str, object, dict[str, Any]]
STEPS = st.lists(
    st.tuples(
        st.sampled_from([0, 1]),
        st.sampled_from(["set", "set", "assume", "correct", "expire", "delete"]),
        st.sampled_from([key.replace("{boat}", "Nimrod") for key in KEYS]),
        st.sampled_from(VALUES),
        st.sampled_from(WHOSE),
    ),
    min_size=5,
    max_size=15,
)


def fits(key: str, value: object) -> bool:
    """Whether a value has the shape of its key."""
    match key:
        case "constraint.diet":
            return isinstance(value, dict)
        case "crew.Nimrod" | "limit":
            return isinstance(value, int)
        case "preference.tea":
            return isinstance(value, str)
        case _:
            return True


def homeless(key: str, whose: dict[str, Any]) -> bool:
    """Whether the key needs a session, or a person, and there is none."""
    if key == "limit":
        return "session" not in whose
    return key == "constraint.diet" and "user" not in whose


async def programs(database: Database, clock: FrozenClock, space: str) -> list[AsyncLedger]:
    """Two that each registered some keys, and wrote one value under each; and one that knows nothing."""
    first, second, third = (AsyncLedger(database, clock=clock, settings=Settings()) for _ in range(3))
    first.register("constraint.diet", dict[str, list[str]], namespace="constraint", scope="cross_session")
    first.register("crew.{boat}", int, namespace="system")
    second.register("limit", int, namespace="constraint", scope="session")
    second.register("preference.tea", str, namespace="preference")
    for user in ("ana", "bob"):
        await first.open_session(space=space, session=f"of {user}", user=user)
    await second.open_session(space=space, session="of both")
    zoe: dict[str, Any] = {"space": space, "user": "zoe"}
    await second.open_session(session="of zoe", **zoe)
    await first.set("constraint.diet", VALUES[0], **zoe)
    await second.set("limit", 3, session="of zoe", **zoe)
    await first.set("crew.Aurora", 3, **zoe)
    await second.set("preference.tea", "green", **zoe)
    return [first, second, third]


async def seen(ledger: AsyncLedger, space: str, as_of: datetime | None = None) -> list[dict[str, Value]]:
    return [await ledger.state(space=space, as_of=as_of, **whose) for whose in WHOSE]


@settings(
    max_examples=sized(4, long=60),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=STEPS)
async def test_facts_of_either_program_are_alike_to_both_then_and_now(
    database: Database, steps: Sequence[Step]
) -> None:
    clock, space = FrozenClock(START), f"programs {next(NUMBERS)}"
    ledgers = await programs(database, clock, space)
    moments: dict[datetime, list[dict[str, Value]]] = {}
    for who, act, key, value, whose in steps:
        clock.advance(timedelta(seconds=1))
        given = [] if act in ("expire", "delete") else [value]
        refused: BadInput | None = None
        try:
            await getattr(ledgers[who], act)(key, *given, space=space, **whose)
        except BadInput as error:
            refused = error
        if act in ("set", "assume"):
            assert (refused is None) == (fits(key, value) and not homeless(key, whose)), refused
        elif refused is None and given:
            assert fits(key, value)
        moments[clock.now()] = await seen(ledgers[1 - who], space)
    for ledger in ledgers:
        assert await seen(ledger, space) == moments[clock.now()]
        for key in {key for _, _, key, _, _ in steps}:
            for whose in WHOSE:
                asked = {"space": space, **whose}
                assert await ledger.history(key, **asked) == await ledgers[0].history(key, **asked)
    for moment, stood in moments.items():
        assert await seen(ledgers[len(stood[0]) % 3], space, moment) == stood
