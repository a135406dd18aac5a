"""Opening and ending sessions that the ledger writes about."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal, cast, get_args

from quipu.errors import BadInput
from quipu.kernel.base.scope import check_name, one_of, optional_name, own_user, whole
from quipu.kernel.db.database import Database
from quipu.kinds.ledger import store
from quipu.kinds.ledger.outcome import others_session, shared_session, unknown_session
from quipu.kinds.ledger.values import prepare
from quipu.record import store as record

CardType = Literal["staffing", "risk", "opportunity", "none"]
CARD_TYPES: Final[tuple[CardType, ...]] = get_args(CardType)
Status = Literal["active", "ended", "error"]
STATUSES: Final[tuple[Status, ...]] = get_args(Status)
MOST_LOCATIONS: Final = 3


async def open_session(
    database: Database,
    *,
    space: str,
    session: str | None,
    user: str | None,
    details: Mapping[str, object],
    now: datetime,
    secrets: bool,
) -> str:
    """Make a session known, or tell more of one that is; returns its name."""
    name = str(uuid.uuid4()) if session is None else check_name("session", session)
    person = own_user(optional_name("user", user))
    given = _checked(details, secrets=secrets)
    async with database.write(check_name("space", space)) as tx:
        await record.lock_sessions(tx, [name])
        row = await store.session(tx, name)
        assert row is not None  # it is held by this transaction
        if person is not None:
            if row.owner == "":
                raise shared_session(name, row.users)
            if row.owner not in (None, person):
                raise others_session(name)
            await tx.execute(store.SQL["give_session"], name=name, person=person)
        started_at = None if row.messages else now
        await tx.execute(store.SQL["write_details"], session=row.uid, started_at=started_at, **given)
    return name


async def end_session(database: Database, name: str, *, space: str, status: Status, now: datetime) -> None:
    """Note when a session ended, and how."""
    one_of("status", status, STATUSES)
    check_name("session", name)
    async with database.transaction(check_name("space", space)) as tx:
        row = None if tx is None else await store.session(tx, name)
        if tx is None or row is None:
            raise unknown_session(name)
        ended_at = None if status == "active" else now
        await tx.execute(store.SQL["end_details"], session=row.uid, ended_at=ended_at, status=status)


def _checked(details: Mapping[str, object], *, secrets: bool) -> dict[str, object]:
    names = ("model", "prompt_version", "rule_version", "trace_id")
    given: dict[str, object] = {name: optional_name(name, details[name]) for name in names}
    card_type, count, meta = details["card_type"], details["location_count"], details["meta"]
    if card_type is not None:
        one_of("card_type", card_type, CARD_TYPES)
    if count is not None:
        whole("location_count", count, least=0, most=MOST_LOCATIONS)
    if meta is not None and not isinstance(meta, Mapping):
        raise BadInput("an object is needed.", field="meta")
    text = None if meta is None else prepare(cast("object", meta), field="meta", secrets=secrets).text
    return given | {"card_type": card_type, "location_count": count, "meta": text}
