"""Signed receipts of erasures: their derived routes, and verifying and checking them."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import Body, Path
from pydantic import Field

from quipu.app.operations import OPERATIONS
from quipu.errors import BadInput
from quipu.interfaces.rest.derived import derived
from quipu.interfaces.rest.door import Administering, OwningAll, Reading, refused
from quipu.interfaces.rest.models import Answer, RequestBody, given
from quipu.upkeep.erasure.model import CheckedPlace, Receipt, Verified
from quipu.upkeep.erasure.receipts import key_of, plain, read, verify

_EXAMPLE = {"receipts": "[]"}
_ID = "123e4567-e89b-42d3-a456-426614174000"
_Id = Annotated[UUID, Path(description="The `receipt` that forgetting answered.", examples=[_ID])]


class ReceiptAnswer(Answer):
    """A receipt as it is signed: `signature` (Ed25519) and `public_key` are base64."""

    receipt: dict[str, Any]
    signature: str
    public_key: str

    @classmethod
    def of(cls, one: Receipt) -> ReceiptAnswer:
        """Return a receipt as an answer."""
        return cls.model_validate(plain(one))


_SHAPES = {Receipt: ReceiptAnswer}
router = derived("receipts", OPERATIONS, shapes=_SHAPES)
engine_router = derived("receipts", OPERATIONS, shapes=_SHAPES, everywhere=True)


class ReceiptsVerify(RequestBody):
    """Receipts to be verified."""

    receipts: Annotated[
        str, Field(max_length=10_000_000, description="JSON: one receipt, a list of them, or one a line.")
    ]
    key: Annotated[str | None, Field(max_length=1000, description="The public key that you trust.")] = None


@router.post("/verify", summary="Verify receipts")
async def verified(request: Annotated[ReceiptsVerify, Body(examples=[_EXAMPLE])], here: Reading) -> Verified:
    """Verify a receipt without any database, so any installation can do it."""
    del here
    try:
        receipts = read(request.receipts)
    except BadInput as error:
        raise error.at("receipts") from None
    return verify(receipts, key=None if request.key is None else key_of(request.key))


class ReceiptsCheck(RequestBody):
    """Strings to look for in the places of a receipt."""

    strings: Annotated[
        list[Annotated[str, Field(max_length=512)]],
        Field(
            default_factory=list,
            max_length=10_000,
            description="Without strings it only says what is still there.",
            examples=[["Lisbon"]],
        ),
    ]
    after: Annotated[
        str | None, Field(max_length=2000, description="`after` of the answer before, to go on.")
    ] = None
    seconds: Annotated[float, Field(gt=0, le=600, description="The most seconds to search.")] = 20.0
    most_bytes: Annotated[
        int | None, Field(ge=1, le=2**53, description="The most bytes of files to read.")
    ] = None


class EngineReceiptsCheck(ReceiptsCheck):
    """Strings to look for in all files of the database."""

    space: Annotated[str, Field(description="Of the erasure; it may be gone.", examples=["team"])]
    of_all: Annotated[bool, Field(description="Search the files of all spaces together, too.")] = True


class CheckedAnswer(Answer):
    """Remains of an erasure."""

    receipt: str
    clean: Annotated[bool, Field(description="Each place is gone, or searched to its end in vain.")]
    searched: Annotated[bool, Field(description="True if there were strings.")]
    places: list[CheckedPlace]
    after: Annotated[str | None, Field(description="A limit was reached: send it to go on there.")] = None


@router.post(
    "/{id}/check", summary="Check an erasure", responses=refused(_404="There is no erasure of that receipt.")
)
async def checked(
    id: _Id, request: Annotated[ReceiptsCheck, Body(examples=[{"strings": ["Lisbon"]}])], here: Administering
) -> CheckedAnswer:
    """Check the places that the receipt names: there, gone or not reachable, and where the strings stand.

    Files that belong to all spaces together are not read: that takes a key of all spaces.
    """
    places = await here.memory.check_erasure(
        str(id), request.strings, space=here.space, of_all=False, **given(request, "strings")
    )
    return CheckedAnswer.model_validate(places)


@engine_router.post(
    "/{id}/check", summary="Check an erasure everywhere", responses=refused(_404="There is no such receipt.")
)
async def all_checked(
    id: _Id,
    request: Annotated[EngineReceiptsCheck, Body(examples=[{"space": "team", "strings": ["Lisbon"]}])],
    engine: OwningAll,
) -> CheckedAnswer:
    """Check the places that the receipt names, and the files of the whole database."""
    places = await engine.memory.check_erasure(str(id), request.strings, **given(request, "strings"))
    return CheckedAnswer.model_validate(places)
