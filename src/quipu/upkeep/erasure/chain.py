"""Writing receipts: each signed, each naming the one before it, in the transaction of what it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from psycopg.types.json import Jsonb

from quipu.kernel.db import queries
from quipu.kernel.db.database import SpaceTransaction
from quipu.upkeep.erasure.names import keyed
from quipu.upkeep.erasure.receipts import START, KeyPair, digest, fingerprint, sign

_SQL = queries.load("quipu.upkeep.erasure")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainEntry:
    """Content of a receipt.

    ``facts`` go into the document. ``names`` are the erased names, by what they were of ("user", …): only
    their hashes are kept, beside the receipt and not in it.
    """

    facts: Mapping[str, Any]
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    names: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])
    more_names: Sequence[str] = ()
    of_receipt: str | None = None


async def append(tx: SpaceTransaction, entries: Sequence[ChainEntry], *, now: datetime) -> list[str]:
    """Sign entries, keep them at the end of the chain, and return the ids of the receipts.

    Call it last in a transaction: the end of the chain is locked until commit, and erasures of other spaces
    wait for it.
    """
    new = KeyPair.new()
    ((signing, number, previous),) = await tx.rows(_SQL["hold_chain"], signing=new.signing, public=new.public)
    pair = KeyPair.of(signing)
    last = await tx.rows(_SQL["last_in_space"])
    space_number, space_previous = (last[0][0], digest(last[0][1])) if last else (0, START)
    ((secret,),) = await tx.rows(_SQL["names_key"])
    ids: list[str] = []
    for entry in entries:
        number, space_number = number + 1, space_number + 1
        document = {
            **entry.facts,
            "id": str(uuid4()),
            "at": now.astimezone(UTC).isoformat(),
            "key": fingerprint(pair.public),
            "number": number,
            "previous": previous,
            "space": tx.space.id,
            "space_number": space_number,
            "space_previous": space_previous,
        }
        receipt = sign(document, pair)
        previous = space_previous = digest(document)
        await tx.execute(
            _SQL["write_receipt"],
            id=receipt.id,
            counts=Jsonb(dict(entry.counts)),
            erased_at=now,
            number=number,
            space_number=space_number,
            document=Jsonb(document),
            signature=receipt.signature,
            name_hashes=[keyed(secret, tx.space.name, name) for name in entry.more_names],
            of_receipt=entry.of_receipt,
            **_hashes(secret, tx.space.name, entry.names),
        )
        ((moved,),) = await tx.rows(_SQL["extend_chain"], number=number, digest=previous)
        assert moved, "the chain of receipts was held, and moved all the same"
        ids.append(receipt.id)
    return ids


def _hashes(secret: bytes, space: str, names: Mapping[str, str | None]) -> dict[str, str | None]:
    """Return the hashes of erased names by column; None for what was not erased by name."""
    return {
        f"{kind}_hash": None if (name := names.get(kind)) is None else keyed(secret, space, name)
        for kind in ("session", "user", "message", "space")
    }
