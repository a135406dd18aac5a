"""Words and phrases of each language as data: a folder for each language, a TOML file for each subject."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

_FOLDERS: Final = Path(__file__).parent


@cache
def lexicon(subject: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the content of ``subject.toml`` in each language that has one, by its name (``english``)."""
    files = sorted(_FOLDERS.glob(f"*/{subject}.toml"))
    return MappingProxyType(
        {file.parent.name: MappingProxyType(tomllib.loads(file.read_text("utf-8"))) for file in files}
    )
