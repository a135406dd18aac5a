"""Spans around what Quipu does. Unless QUIPU_TELEMETRY asks, nothing is recorded and nothing loaded."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import AbstractContextManager, asynccontextmanager
from functools import wraps
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Protocol, Self, TypeVar, cast

from anyio import CancelScope, to_thread

from quipu.errors import MissingExtra
from quipu.kernel.telemetry.groups import STAGE, Attributes, Group

if TYPE_CHECKING:
    from quipu.kernel.telemetry.recorder import Recorder

_F = TypeVar("_F", bound=Callable[..., Coroutine[Any, Any, Any]])


class Span(Protocol):
    """A span that runs. Where nothing is recorded, nothing happens to it."""

    def note(self, attributes: Attributes, *, name: str | None = None) -> None:
        """Add attributes; ``name`` renames it."""
        ...

    def fail(self, kind: str) -> None:
        """Mark it as failed: ``kind`` is the class of the error."""
        ...


class _Nothing:
    """Stands for every span where nothing is recorded."""

    __slots__ = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        return None

    def note(self, attributes: Attributes, *, name: str | None = None) -> None:
        pass

    def fail(self, kind: str) -> None:
        pass


_NOTHING: Final = _Nothing()
_recorder: Recorder | None = None
_holders = 0
_turn: Final = Lock()


def is_on() -> bool:
    """Return True if this process records spans now."""
    return _recorder is not None


def span(
    group: Group, name: str, attributes: Attributes, *, headers: Mapping[str, str] | None = None
) -> AbstractContextManager[Span]:
    """Record the block as a span within the current one, or within that of ``headers`` (W3C traceparent)."""
    return _NOTHING if _recorder is None else _recorder.span(group, name, attributes, headers=headers)


def begin(group: Group, name: str, attributes: Attributes) -> AbstractContextManager[Span]:
    """Begin a span within the current one that does not become the current one; its exit ends it."""
    return _NOTHING if _recorder is None else _recorder.span(group, name, attributes).begin()


def note(attributes: Attributes) -> None:
    """Add attributes to the current span, if there is one."""
    if _recorder is not None:
        _recorder.note(attributes)


def stage(name: str) -> AbstractContextManager[Span]:
    """Record the block as a stage of something larger, such as ``recall.rank``."""
    return _NOTHING if _recorder is None else _recorder.span(STAGE, name, {"quipu.stage": name})


def staged(name: str) -> Callable[[_F], _F]:
    """Record each call of an async function as a stage."""

    def decorate(function: _F) -> _F:
        @wraps(function)
        async def call(*args: Any, **kwargs: Any) -> Any:
            with stage(name):
                return await function(*args, **kwargs)

        return cast(_F, call)

    return decorate


@asynccontextmanager
async def sending(wanted: bool) -> AsyncGenerator[None]:
    """Record for the block, if ``wanted``, and send it to where the variables ``OTEL_*`` say.

    Several blocks of a process record together. When the last ends, what waits is sent: two seconds at most.

    Raises:
        MissingExtra: it is wanted and not installed.
        ConfigError: the variables ask for an exporter that is not here.
    """
    global _recorder, _holders
    if not wanted:
        yield
        return
    try:
        from quipu.kernel.telemetry.recorder import Recorder  # noqa: PLC0415 - an extra, asked for
    except ImportError as error:
        raise MissingExtra("telemetry", "Sending traces and metrics") from error
    with _turn:
        _recorder = _recorder or Recorder()
        _holders += 1
    try:
        yield
    finally:
        with _turn:
            _holders -= 1
            ended, _recorder = (None, _recorder) if _holders else (_recorder, None)
        if ended is not None:
            with CancelScope(shield=True):
                await to_thread.run_sync(ended.close)
