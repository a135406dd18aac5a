"""Writing receipts: each signed, each naming the one before it, in the transaction of what it is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from quipu.kernel.db.database import SpaceTransaction
from quipu.upkeep.erasure import store
from quipu.upkeep.erasure.receipts import START, KeyPair, digest, fingerprint, sign


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Content of a receipt.

    ``names`` are the erased names, by what they were of; only their hashes are kept, beside the receipt and
    not in it. ``facts`` are of the document.
    """

    facts: Mapping[str, Any]
    counts: Mapping[str, int] = field(default_factory=dict[str, int])
    names: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])
    more_names: Sequence[str] = ()
    of_receipt: str | None = None


async def append(tx: SpaceTransaction, entries: Sequence[Entry], *, now: datetime) -> list[str]:
    """Sign entries and keep them at the end of the chain; the ids of the receipts.

    The end of the chain is held until commit, so it is done last in a transaction: erasures of other spaces
    wait for no more than that.
    """
    new = KeyPair.new()
    end = await store.hold_chain(tx, signing=new.signing, public=new.public)
    pair = KeyPair.of(end.signing)
    number, previous = end.number, end.digest
    last = await store.last_in_space(tx)
    space_number, space_previous = (last[0], digest(last[1])) if last else (0, START)
    secret = await store.names_key(tx)
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
        row = store.Row(
            id=receipt.id,
            number=number,
            space_number=space_number,
            document=document,
            signature=receipt.signature,
            counts=entry.counts,
            written_at=now,
            hashes={what: _hash(secret, tx, name) for what, name in entry.names.items()},
            name_hashes=[store.keyed(secret, tx.space.name, name) for name in entry.more_names],
            of_receipt=entry.of_receipt,
        )
        await store.write_receipt(tx, row)
        await store.extend_chain(tx, number=number, digest=previous)
        ids.append(receipt.id)
    return ids


def _hash(secret: bytes, tx: SpaceTransaction, name: str | None) -> str | None:
    return None if name is None else store.keyed(secret, tx.space.name, name)
