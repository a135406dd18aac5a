"""Links between messages as callers name and see them: by the ids that they gave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from quipu.errors import BadInput, Conflict, NotFound
from quipu.kernel.base.scope import check_known_name
from quipu.kernel.base.text import clean
from quipu.kernel.db.database import SpaceTransaction
from quipu.kernel.redact import redact
from quipu.recall.model import Cited
from quipu.record import relations, store
from quipu.record.relations import LinkedBy, MadeBy, Relation, RelationName

LONGEST_REASON: Final = 200


@dataclass(frozen=True, slots=True)
class Named:
    """A message as a caller names it, and the argument that names it; ``session`` is None if not given."""

    field: str
    id: object
    session: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """A link between two messages: what was said in ``newer`` replaces what was said in ``older``.

    ``reason`` is a few words. ``made_by`` says whether a rule found it, a person said it, or the source that
    both were imported from, ``strength`` how
    certain it is, 0 to 1. ``removed_at`` and ``removed_by`` are None for a link that holds.
    """

    newer: Cited
    older: Cited
    relation: RelationName
    reason: str | None
    made_by: LinkedBy
    strength: float
    created_at: datetime
    removed_at: datetime | None
    removed_by: MadeBy | None


def reason_of(value: object, *, secrets: bool) -> str | None:
    """Return a person's reason on one line, or None.

    Raises:
        BadInput: it is no text, longer than 200 characters, or (where ``secrets`` are looked for) holds one.
    """
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadInput("a reason is a text.", field="reason")
    text = " ".join(clean(value).text.split())
    if len(text) > LONGEST_REASON:
        raise BadInput(f"it has {len(text):,} characters; {LONGEST_REASON} are the most.", field="reason")
    if secrets and redact(text).counts:
        raise BadInput("it holds a secret.", field="reason", hint="Leave it out.")
    return text or None


async def find(tx: SpaceTransaction, wanted: Named) -> int:
    """Return the number of a message.

    Without a session it is the one that stands alone, else the only one with that id.

    Raises:
        NotFound: there is none.
        BadInput: several sessions have a message of that id, or it is no id.
    """
    id_ = check_known_name(wanted.field, wanted.id)
    session = f"{wanted.field}_session" if wanted.field != "message" else "session"
    name = None if wanted.session is None else check_known_name(session, wanted.session)
    rows = await relations.named(tx, id_, name)
    alone = [number for number, thread in rows if thread is None]
    if not rows:
        raise NotFound(
            f"{wanted.field}: there is no message {id_!r} "
            + ("in this space." if name is None else "there."),
            hint="It is the id that came with the message; hits have it in their source.",
        )
    if len(rows) > 1 and not alone:
        raise BadInput(
            f"{len(rows)} sessions have a message with this id.", field=wanted.field, hint=f"Give {session}."
        )
    return alone[0] if alone else rows[0][0]


async def check(tx: SpaceTransaction, newer: int, older: int) -> None:
    """Check that one message can replace another.

    Raises:
        BadInput: they are the same, or the older one was said later.
        Conflict: the older one replaces the newer.
    """
    if newer == older:
        raise BadInput("a message does not replace itself.", field="older", hint="Name another message.")
    said = {one.id: one.happened_at for one in await store.messages(tx, [newer, older])}
    if said[older] > said[newer]:
        raise BadInput(
            "it was said later than the newer one.", field="older", hint="Name them the other way round."
        )
    if await relations.replaces(tx, older, newer):
        raise Conflict(
            "it replaces the newer one already, directly or by way of others.",
            field="older",
            hint="Take that back first, or name them the other way round.",
        )


async def one(tx: SpaceTransaction, newer: int, older: int) -> Replacement:
    """Return the link between two messages, which is there."""
    links = (await relations.of(tx, [newer], removed=True))[newer]
    return (await _shown(tx, [link for link in links if link.older == older]))[0]


async def every(tx: SpaceTransaction, message: int) -> list[Replacement]:
    """Return all links of a message, also those that were removed, oldest first."""
    links = await relations.of(tx, [message], removed=True)
    return await _shown(tx, links.get(message, ()))


async def _shown(tx: SpaceTransaction, links: Sequence[Relation]) -> list[Replacement]:
    cited = await store.cite(tx, sorted({end for link in links for end in (link.newer, link.older)}))
    return [
        Replacement(
            newer=cited[link.newer],
            older=cited[link.older],
            relation=link.relation,
            reason=link.reason,
            made_by=link.made_by,
            strength=link.strength,
            created_at=link.created_at,
            removed_at=link.removed_at,
            removed_by=link.removed_by,
        )
        for link in links
    ]
