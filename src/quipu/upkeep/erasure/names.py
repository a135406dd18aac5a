"""Names of a person, and the patterns that find them in what others said. Pure.

The names are the id of the person, the speaker names that only their messages carry, and what the caller
adds. They are found as whole words, in any case, with any white space inside. Short and common words are left
out unless the caller gives them; a first name alone must be given.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from quipu.errors import BadInput

MARK: Final = "[erased]"
"""What stands in the place of a name that was taken out."""

_LEAST: Final = 3
_MOST_NAMES: Final = 100
_MOST_CHARACTERS: Final = 512
_MOST_STRINGS: Final = 10_000
_COMMON_WORDS: Final = """
    user users human assistant system tool agent bot model customer client guest visitor admin owner member
    anonymous unknown nobody everyone somebody default test demo none null true false you they she her him his
    the and for not who all one new old day man men may will mark bill rose grace hope joy faith
"""
_COMMON: Final = frozenset(_COMMON_WORDS.split())
# In JSON a line break stands as backslash and n before the word.
_BEFORE: Final = r"((?<!\w)|(?<=\\[bfnrt]))"
_AFTER: Final = r"(?!\w)"


def checked(names: Sequence[str]) -> list[str]:
    """Check the names that a caller gives.

    Raises:
        BadInput: one is empty, too long, or they are too many.
    """
    if isinstance(names, str) or len(names) > _MOST_NAMES:
        raise BadInput(f"a list of at most {_MOST_NAMES} names.", field="names")
    stripped = [name.strip() for name in names]
    if any(not 2 <= len(name) <= _MOST_CHARACTERS or "\0" in name for name in stripped):
        raise BadInput(f"each has 2 to {_MOST_CHARACTERS} characters.", field="names")
    return stripped


def chosen(user: str | None, carried: Iterable[str], added: Sequence[str]) -> list[str]:
    """Return the names to look for, each once: the person's own unless short or common, and the added."""
    own = [name for name in (user, *carried) if name is not None and _is_telling(name)]
    return list(dict.fromkeys([*own, *added]))


def pattern(names: Sequence[str]) -> str:
    """Return a regular expression for the names, valid in PostgreSQL and Python; longer names come first."""
    forms = _forms(names)
    return f"{_BEFORE}({'|'.join(sorted(forms, key=lambda form: (-len(form), form)))}){_AFTER}"


def whole(names: Sequence[str]) -> str:
    """Return a regular expression for texts that are one of the names and nothing else."""
    return rf"^\s*({'|'.join(sorted(_forms(names)))})\s*$"


def wanted(strings: Sequence[str]) -> list[str]:
    """Return the strings that a caller searches for, each once, without the white space around them.

    Raises:
        BadInput: there is none, one is too short or too long, or they are too many.
    """
    distinct = list(dict.fromkeys(one.strip() for one in strings if one.strip()))
    if not 1 <= len(distinct) <= _MOST_STRINGS:
        raise BadInput(f"give 1 to {_MOST_STRINGS:,} strings.", field="strings")
    if any(not _LEAST <= len(one) <= _MOST_CHARACTERS or "\0" in one for one in distinct):
        raise BadInput(f"each has {_LEAST} to {_MOST_CHARACTERS} characters.", field="strings")
    return distinct


def anywhere(strings: Sequence[str]) -> str:
    """Return a regular expression for strings anywhere, inside of words too."""
    return f"({'|'.join(sorted(_forms(strings), key=lambda form: (-len(form), form)))})"


def as_bytes(strings: Sequence[str]) -> list[bytes]:
    """Return the bytes of strings in a file: as they are spelled, decomposed, and escaped in JSON."""
    forms = {form for one in strings for form in _spelled(one)}
    escaped = {json.dumps(one, ensure_ascii=ascii_)[1:-1] for one in forms for ascii_ in (True, False)}
    return sorted({one.encode("utf-8", "surrogatepass") for one in forms | escaped})


def keyed(secret: bytes, space: str, name: str) -> str:
    """Return the hash of a name in a space, as snapshots compare it when they are restored."""
    inner = hashlib.sha256(f"{space}\0{name}".encode()).digest()
    return hashlib.sha256(secret + inner).hexdigest()


def _is_telling(name: str) -> bool:
    plain = name.strip().casefold()
    return len(plain) >= _LEAST and plain not in _COMMON and not (plain.isdigit() and len(plain) < 2 * _LEAST)


def _forms(names: Sequence[str]) -> set[str]:
    return {_form(one) for name in names for one in _spelled(name.strip())}


def _spelled(text: str) -> set[str]:
    """Return the text as given, composed and decomposed: some characters are in neither of the two forms."""
    return {text, unicodedata.normalize("NFC", text), unicodedata.normalize("NFD", text)}


def _form(text: str) -> str:
    return "".join(_character(one) for one in re.sub(r"\s+", " ", text))


def _character(one: str) -> str:
    if one == " ":
        return r"\s+"
    cases = sorted({case for case in (one, one.lower(), one.upper()) if len(case) == 1})
    if len(cases) > 1:
        return f"[{''.join(cases)}]"
    return one if one.isalnum() or ord(one) > 127 else f"\\{one}"
