"""Door of every route: the caller, their rights, the space of the call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Security
from fastapi.security import HTTPBearer

from quipu.app.memory import AsyncMemory
from quipu.interfaces.rest.models import Problem
from quipu.interfaces.rest.once import IdempotencyKey, Once
from quipu.interfaces.serving.caller import Caller
from quipu.interfaces.serving.problems import MEDIA_TYPE
from quipu.interfaces.serving.served import operation_name, served
from quipu.upkeep.keys.model import Level

_BEARER: Final = HTTPBearer(
    auto_error=False, bearerFormat="quipu_…", description="An API key: `quipu keys create`."
)
_Key = Annotated[object, Security(_BEARER)]
SpaceName = Annotated[
    str | None,
    Query(
        min_length=1,
        max_length=512,
        description="The space. A key for one space need not say it; a key for all must.",
        examples=["ana"],
    ),
]


@dataclass(frozen=True, slots=True)
class Here:
    """Context of a route: the memory, the space of the call, the caller."""

    memory: AsyncMemory
    space: str
    caller: Caller


@dataclass(frozen=True, slots=True)
class Engine:
    """Context of a route about the whole database."""

    memory: AsyncMemory
    caller: Caller


class Needs:
    """A dependency: lets in who may do what needs ``level``, in one space."""

    writes = False  # whether ``Idempotency-Key`` is heeded

    def __init__(self, level: Level) -> None:
        self.level: Final[Level] = level

    async def __call__(self, request: Request, _: _Key, space: SpaceName = None) -> Here:
        """Return the memory, the space and the caller.

        Raises:
            KeyRefused: nobody whom we know.
            AccessRefused: their key is for something else.
        """
        serving = served(request)
        caller = await serving.caller(request)
        caller.may(self.level)
        return Here(serving.memory, caller.space_for(space), caller)


class NeedsToWrite(Needs):
    """Needs of a route that changes something: it may be asked again with the same key."""

    writes = True

    async def __call__(
        self,
        request: Request,
        _: _Key,
        space: SpaceName = None,
        idempotency_key: IdempotencyKey = None,  # noqa: ARG002 - shown in the OpenAPI; ``Once`` heeds it
    ) -> Here:
        """Return the memory, the space and the caller."""
        return await super().__call__(request, _, space)


class NeedsEngine:
    """A dependency: lets in who may do what needs ``level``, in the whole database."""

    def __init__(self, level: Level) -> None:
        self.level: Final[Level] = level

    async def __call__(self, request: Request, _: _Key) -> Engine:
        """Return the memory and the caller. Raises as ``Needs`` does."""
        serving = served(request)
        caller = await serving.caller(request)
        caller.may(self.level)
        caller.owns_all()
        return Engine(serving.memory, caller)


READS: Final = Needs("read")
WRITES: Final = NeedsToWrite("write")
ADMINISTERS: Final = NeedsToWrite("admin")

Reading = Annotated[Here, Security(READS)]
Writing = Annotated[Here, Security(WRITES)]
Administering = Annotated[Here, Security(ADMINISTERS)]
OwningAll = Annotated[Engine, Security(NeedsEngine("admin"))]

_REFUSALS: Final = {
    400: "The body is no text, or too deeply nested to be read.",
    401: "No key, or one that opens nothing.",
    403: "The key is for another space, or its level is not enough.",
    413: "Larger than what is taken at once.",
    422: "What was sent cannot be taken; `field` or `errors` says what.",
    429: "Too often; `Retry-After` says when to ask again.",
    503: "Not now: it took too long, or the database does not answer.",
}


def refused(**more: str) -> dict[int | str, dict[str, Any]]:
    """Return the problems that a route may answer with: the common ones and ``more`` (``_404="…"``)."""
    texts = _REFUSALS | {int(name.lstrip("_")): text for name, text in more.items()}
    return {
        code: {"description": text, "model": Problem, "content": {MEDIA_TYPE: {}}}
        for code, text in sorted(texts.items())
    }


def room(name: str, *, prefix: str | None = None) -> APIRouter:
    """Return a router for what belongs together: ``room("ledger")`` has its routes under ``/v1/ledger``."""
    where = f"/{name}" if prefix is None else prefix
    return APIRouter(
        prefix=f"/v1{where}",
        tags=[name],
        responses=refused(),
        route_class=Once,
        generate_unique_id_function=operation_name,
    )
