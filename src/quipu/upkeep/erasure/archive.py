"""The receipts of a database as a program sees them: ``memory.receipts``."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Annotated, Any
from uuid import UUID

from typing_extensions import Doc

from quipu.errors import BadInput, NotFound
from quipu.kernel.base.parameters import Example
from quipu.kernel.base.scope import check_name
from quipu.kernel.db import queries
from quipu.kernel.db.database import Database
from quipu.upkeep.erasure import forgotten
from quipu.upkeep.erasure.model import PublicKey, Receipt
from quipu.upkeep.erasure.receipts import fingerprint

_SQL = queries.load("quipu.upkeep.erasure")

ReceiptSpace = Annotated[
    str | None, Doc("Only receipts of this space; without it, of the whole database."), Example("ana")
]


class AsyncReceipts:
    """Signed receipts of what was erased: listed, shown, and the key that verifies them.

    `quipu.receipts` verifies them without a database.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self, *, space: ReceiptSpace = None) -> Sequence[Receipt]:
        """List the signed receipts, oldest first.

        Only all receipts together are a chain without gaps. Those of spaces erased whole are in it. Erasures
        from before receipts were signed are not.
        """
        return await self._read(space, None)

    async def get(
        self,
        id: Annotated[
            UUID | str,
            Doc("The id, which forgetting returned as `receipt`."),
            Example("123e4567-e89b-42d3-a456-426614174000"),
        ],
        *,
        space: ReceiptSpace = None,
    ) -> Sequence[Receipt]:
        """Get the receipt of an erasure, and after it any notes on what was left on the disk.

        With the name of a space that was forgotten whole, its receipt is found too; so are those that the
        space brought from another database, whose key verifies them.

        Raises:
            BadInput: That is no id of a receipt.
            NotFound: There is none of that id.
        """
        receipts = await self._read(space, _id(id))
        if not receipts:
            raise NotFound(f"There is no receipt {str(id)!r}.", hint="The list of receipts shows them.")
        return receipts

    async def key(self) -> PublicKey:
        """Get the public key that verifies receipts, with its fingerprint.

        Raises:
            NotFound: Nothing was erased yet; the key is made with the first receipt.
        """
        key = await self._public_key()
        if key is None:
            raise NotFound("There is no key yet.", hint="It is made with the first receipt.")
        return PublicKey(public_key=b64encode(key).decode("ascii"), fingerprint=fingerprint(key))

    async def _read(self, space: str | None, id: str | None) -> list[Receipt]:
        key = await self._public_key() or b""
        if space is None:
            async with self._database.owner() as conn:
                rows = await (await conn.execute(_SQL["receipts_of_all"], {"id": id})).fetchall()
        else:
            rows = await self._rows_of_space(check_name("space", space), id)
        if not rows and id is not None and space is not None:
            async with self._database.transaction(space) as tx:
                return [] if tx is None else await tx.fetch(Receipt, _SQL["carried_receipt"], id=id)
        return [
            Receipt(document=document, signature=signature, public_key=key) for document, signature in rows
        ]

    async def _rows_of_space(self, space: str, id: str | None) -> Sequence[tuple[Any, ...]]:
        """Return documents and signatures of a space; with an id also of one that was forgotten whole."""
        async with self._database.transaction(space) as tx:
            rows = [] if tx is None else await tx.rows(_SQL["receipts_of_space"], id=id)
        if rows or id is None or (known := await forgotten.find(self._database, space, id)) is None:
            return rows
        async with forgotten.tx(self._database, known) as tx:
            return await tx.rows(_SQL["receipts_of_space"], id=id)

    async def _public_key(self) -> bytes | None:
        async with self._database.unscoped() as conn:
            return await conn.value(_SQL["public_key"])


def _id(value: UUID | str) -> str:
    try:
        return str(UUID(str(value)))
    except ValueError:
        raise BadInput(f"{str(value)!r} is no id of a receipt.", field="id") from None
