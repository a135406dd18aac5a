"""The blocking and the async face of mem0."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from quipu.compat.face import BlockingFace, Steps
from quipu.compat.mem0.plans import Plans

if TYPE_CHECKING:
    import quipu
    from quipu import AsyncMemory as QuipuAsyncMemory

Made = TypeVar("Made")
Asked = ParamSpec("Asked")


def _blocking(
    plan: Callable[Concatenate[Plans, Asked], Steps[Made]],
) -> Callable[Concatenate[Any, Asked], Made]:
    """Make the blocking method of a plan."""

    @wraps(plan)
    def method(self: Any, *args: Asked.args, **kwargs: Asked.kwargs) -> Made:
        return self._follow(plan(self._plans, *args, **kwargs))

    return method


def _awaited(
    plan: Callable[Concatenate[Plans, Asked], Steps[Made]],
) -> Callable[Concatenate[Any, Asked], Awaitable[Made]]:
    """Make the async method of a plan."""

    @wraps(plan)
    async def method(self: Any, *args: Asked.args, **kwargs: Asked.kwargs) -> Made:
        return await self._afollow(plan(self._plans, *args, **kwargs))

    return method


class Memory(BlockingFace):
    """Mem0's ``Memory`` over a space of Quipu.

    ``memory`` is an open memory, or the URL of a server; without one it is the embedded database. A memory
    that was opened here is closed by ``close``.
    """

    def __init__(self, memory: quipu.Memory | str | None = None, *, space: str = "default") -> None:
        self._plans = Plans(space=space)
        super().__init__(memory, space=space)

    @classmethod
    def from_config(
        cls,
        config_dict: Mapping[str, Any],
        memory: quipu.Memory | str | None = None,
        *,
        space: str | None = None,
    ) -> Self:
        """Make a memory; of mem0's config counts what stands in ``quipu``: the ``url`` and the ``space``."""
        ours: Mapping[str, Any] = config_dict.get("quipu") or {}
        return cls(memory or ours.get("url"), space=space or ours.get("space") or "default")

    add = _blocking(Plans.add)
    get = _blocking(Plans.get)
    get_all = _blocking(Plans.get_all)
    search = _blocking(Plans.search)
    update = _blocking(Plans.update)
    delete = _blocking(Plans.delete)
    delete_all = _blocking(Plans.delete_all)
    history = _blocking(Plans.history)
    reset = _blocking(Plans.reset)

    def chat(self, query: str) -> None:
        """Raise ``NotImplementedError``, as mem0 does."""
        raise NotImplementedError("Chat function not implemented yet.")


class AsyncMemory(BlockingFace):
    """Mem0's ``AsyncMemory`` over a space of Quipu; ``memory`` as in ``Memory``, or an open async one.

    ``hosted`` is how the platform of mem0 has it: ``app_id`` is an id, too.
    """

    def __init__(
        self,
        memory: QuipuAsyncMemory | quipu.Memory | str | None = None,
        *,
        space: str = "default",
        hosted: bool = False,
    ) -> None:
        self._plans = Plans(space=space, hosted=hosted)
        super().__init__(memory, space=space)

    @classmethod
    def from_config(
        cls,
        config_dict: Mapping[str, Any],
        memory: QuipuAsyncMemory | quipu.Memory | str | None = None,
        *,
        space: str | None = None,
    ) -> Self:
        """Make a memory; of mem0's config counts what stands in ``quipu``: the ``url`` and the ``space``."""
        ours: Mapping[str, Any] = config_dict.get("quipu") or {}
        return cls(memory or ours.get("url"), space=space or ours.get("space") or "default")

    add = _awaited(Plans.add)
    get = _awaited(Plans.get)
    get_all = _awaited(Plans.get_all)
    search = _awaited(Plans.search)
    update = _awaited(Plans.update)
    delete = _awaited(Plans.delete)
    delete_all = _awaited(Plans.delete_all)
    history = _awaited(Plans.history)
    reset = _awaited(Plans.reset)

    async def chat(self, query: str) -> None:
        """Raise ``NotImplementedError``, as mem0 does."""
        raise NotImplementedError("Chat function not implemented yet.")
