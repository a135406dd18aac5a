"""What the ledger tells."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from quipu.interfaces.rest.models import Told
from quipu.kinds.ledger.model import Cap, EventType, Namespace, Scope, ValueSource


class ValueTold(Told):
    """What stands for a key, and how that is known.

    `assumed` must be disclosed or confirmed; `confidence_cap` bounds the confidence of what is concluded
    from it. `event_id` and `turn` say where it comes from, `updated_at` since when it stands.
    """

    key: str
    namespace: Namespace
    scope: Scope
    value: Any
    source: ValueSource
    assumed: bool
    confidence_cap: Cap
    session: str | None
    user: str | None
    turn: int
    event_id: int | None
    updated_at: datetime
    expires_at: datetime | None


class EventTold(Told):
    """One thing that happened to a key; never changed afterwards.

    `old` and `new` are JSON values; `new` is null where the value expired or was deleted. `session`
    and `user` are the caller's own names. `standing_event_id` is the event whose value stands after
    this one: itself, a stronger one before it, or null where nothing stands.
    """

    id: int
    event_type: EventType
    scope: Scope
    namespace: Namespace
    key: str
    old: Any
    new: Any
    source: ValueSource
    assumed: bool
    confidence_cap: Cap
    session: str | None
    user: str | None
    turn: int
    created_at: datetime
    expires_at: datetime | None
    correlation_id: str | None
    actor: str | None
    reason: str | None
    standing_event_id: int | None


class ChangeTold(Told):
    """What came of a write.

    `event` is null where it would have changed nothing. `value` is what stands now, `previous` what
    stood before; `stands` is false where something stronger stands, or nothing any more. `hook_errors`:
    what subscribers raised; the write is durable all the same.
    """

    event: EventTold | None
    value: ValueTold | None
    previous: ValueTold | None
    stands: bool
    hook_errors: list[str]


class DifferenceTold(Told):
    """A key that was believed otherwise at two moments; null where nothing stood."""

    key: str
    before: ValueTold | None
    after: ValueTold | None


class RegisteredKeyTold(Told):
    """A key, or a pattern of keys, whose values have a shape.

    `scope` is null where it is decided by what is given. `shape` is JSON Schema. `registered_at` is null
    for keys that everybody knows.
    """

    pattern: str
    namespace: Namespace
    scope: Scope | None
    shape: dict[str, Any]
    registered_at: datetime | None


class RebuiltTold(Told):
    """What a rebuild read and wrote; `changed` counts the rows that were not what the events say."""

    events: int
    session_rows: int
    preference_rows: int
    changed: int


class RetentionLimitsTold(Told):
    """What was last written before these moments goes; null: it stays for ever.

    `now` is when values expire. `sessions`: nothing was written in a session since. `excerpts`: the
    text of evidence. `evidence`: evidence itself, with its recommendation.
    """

    now: datetime
    sessions: datetime | None
    excerpts: datetime | None
    evidence: datetime | None


class RetentionReportTold(Told):
    """What went, or (`done` is false) what would go.

    `sessions` went with all that was said and known in them; `emptied` sessions lost the same but stay as
    the place of evidence that is still in the audit window. `expired` counts preferences and values of
    sessions, `excerpts` those cut from evidence that stays. `counts`: rows by table, all of it together.
    `receipts` prove the erasures of the sessions; they hold no content.
    """

    space: str
    done: bool
    limits: RetentionLimitsTold
    sessions: int
    emptied: int
    expired: int
    excerpts: int
    counts: dict[str, int]
    receipts: list[str]
