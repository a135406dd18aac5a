"""Words and phrases of each language as data: a folder for each language, a TOML file for each subject."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

_FOLDERS: Final = Path(__file__).parent

# Lazy and bounded: what stands between two words of a phrase is read once, however long the text.
_GAP: Final = r"\W+(?:[\w'’-]+\W+){0,6}?"
_GAP_WITHOUT_BORDERS: Final = ".{0,20}?"
_BEGINNING: Final = r"(?:^|[.!?:,;¿¡]\s*)"


@cache
def lexicon(subject: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the content of ``subject.toml`` in each language that has one, by its name (``english``)."""
    files = sorted(_FOLDERS.glob(f"*/{subject}.toml"))
    return MappingProxyType(
        {file.parent.name: MappingProxyType(tomllib.loads(file.read_text("utf-8"))) for file in files}
    )


def phrase(words: str, *, plural: str = "", is_borderless: bool = False) -> str:
    """Return the regular expression of a phrase, for patterns in which capitals do not count.

    In it "…" stands for up to six words, "{plural}" for ``plural``, "^" for the beginning of a clause; all
    else is a regular expression. In writing without borders between words "…" stands for up to twenty
    characters.
    """
    if is_borderless:
        return words.replace("…", _GAP_WITHOUT_BORDERS)
    start = _BEGINNING if words.startswith("^") else r"\b"
    made = words.removeprefix("^").replace(" … ", _GAP).replace("{plural}", plural).replace(" ", r"\s+")
    return rf"{start}(?:{made})\b"


def beside(module: str, name: str) -> dict[str, Any]:
    """Return the content of ``name.toml`` in the folder of a module, by the module's ``__file__``."""
    return tomllib.loads(Path(module).with_name(f"{name}.toml").read_text("utf-8"))
