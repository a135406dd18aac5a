"""One thing that can be set: what it means, what values it takes, and its default."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Generic, Literal, TypeVar

T_co = TypeVar("T_co", covariant=True)
Type = Literal["whole number", "number", "true or false", "text", "secret", "path"]

_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off")


@dataclass(frozen=True, slots=True)
class Secret:
    """A text that does not show itself: not when printed, not in a log, not in a traceback."""

    _text: str = field(repr=False)

    def reveal(self) -> str:
        """Return the text."""
        return self._text


@dataclass(frozen=True, slots=True)
class Form(Generic[T_co]):
    """Form of a setting's values. ``least`` and ``most`` are both allowed; None means no limit.

    ``read`` takes a text or a value of the program and returns the value; it raises ValueError with the rest
    of a sentence that begins with the setting's name.
    """

    type: Type
    read: Callable[[Any], T_co]
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(Generic[T_co]):
    """Named setting (``session_days``, for example) with a default for when nothing is set.

    ``unit`` is what a number counts. ``stored``: it can be kept in the database, as what must be known before
    that is open cannot; ``of_space``: it can there be different in each space. ``shown``: false keeps what
    may hold a password from being shown. ``command``: the command line that keeps it in the database after a
    trial; no other door does, because it says where texts go.
    """

    name: str
    meaning: str
    form: Form[T_co]
    default: T_co
    unit: str = ""
    stored: bool = True
    of_space: bool = True
    shown: bool = True
    command: str = ""

    @property
    def variable(self) -> str:
        """Its name in the environment."""
        return f"QUIPU_{self.name.upper()}"


def whole(least: int, most: int) -> Form[int]:
    """Return the form of whole numbers from ``least`` to ``most``."""

    def read(value: Any) -> int:
        return _inside(_parsed(int, value, "a whole number"), least, most)

    return Form("whole number", read, least, most)


def decimal(least: float, most: float) -> Form[float]:
    """Return the form of decimal numbers from ``least`` to ``most``."""

    def read(value: Any) -> float:
        return _inside(_parsed(float, value, "a number"), least, most)

    return Form("number", read, least, most)


def one_of(*names: str) -> Form[str]:
    """Return the form of a name out of a few."""

    def read(value: Any) -> str:
        if (name := _text(value)) not in names:
            raise ValueError(f"is {name!r}; it can be {' or '.join(names)}")
        return name

    return Form("text", read)


def _parsed(kind: type[Any], value: Any, called: str) -> Any:
    exact = isinstance(value, (int, kind)) and not isinstance(value, bool)
    if not exact and not isinstance(value, str):
        raise ValueError(f"is {value!r}, not {called}")
    try:
        return kind(value)
    except (ValueError, OverflowError):
        raise ValueError(f"is {value!r}, not {called}") from None


def _inside(number: Any, least: float, most: float) -> Any:
    if not least <= number <= most:  # so written, it refuses what is not a number, too
        raise ValueError(f"is {number}; it can be {least:g} to {most:g}")
    return number


def _flag(value: Any) -> bool:
    word = value.strip().lower() if isinstance(value, str) else value
    if word is True or word in _TRUE:
        return True
    if word is False or word in _FALSE:
        return False
    raise ValueError(f"is {value!r}; it can be true or false")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"is a {type(value).__name__}, not a text")
    if not value.strip():
        raise ValueError("is empty; leave it out to have the default")
    return value


def _secret(value: Any) -> Secret:
    return value if isinstance(value, Secret) else Secret(_text(value))


def _path(value: Any) -> Path:
    try:
        return Path(_text(value) if isinstance(value, str) else value).expanduser()
    except TypeError:
        raise ValueError(f"is a {type(value).__name__}, not a path") from None
    except RuntimeError as error:
        raise ValueError(f"is {str(value)!r}, and {str(error).rstrip('.').lower()}") from None


FLAG: Final = Form("true or false", _flag)
TEXT: Final = Form("text", _text)
SECRET: Final = Form("secret", _secret)
PATH: Final = Form("path", _path)
