"""``patterns.toml`` as expressions, and a sentence as they read it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

from quipu.kinds.episodes.shapes import GistType

_FILE: Final = Path(__file__).with_name("patterns.toml")
_SPACE = re.compile(r"\s+")
_LEAD = re.compile(
    r"(?:(?:and|but|also|so|well|oh|ok(?:ay)?|yes|yeah|yep|no|nope|hey|hi|hello"
    r"|thanks?(?: you)?(?: (?:so|very) much)?"
    r"|great|cool|nice|sure|right|actually|honestly|btw|by the way|anyway|wow|haha|lol|hmm+|ah|um|uh"
    r"|then|plus"
    r"|fyi|for context|i think|i guess|i mean|you know|as you know|to be honest|tbh|in fact|besides|ugh"
    r"|good (?:morning|evening|afternoon|point|idea)|perfect|alright|please|pls|sorry)\b[\s,;:.!…–—-]*)+"
)  # fmt: skip
_SPELLED: Final = {
    "im": "i'm", "ive": "i've", "dont": "don't", "doesnt": "doesn't", "didnt": "didn't", "cant": "can't",
    "wont": "won't", "isnt": "isn't", "havent": "haven't", "wanna": "want to", "gonna": "going to",
    "gotta": "have to", "id": "i'd", "lets": "let's", "thats": "that's", "hes": "he's", "shes": "she's",
    "u": "you", "ur": "your", "prolly": "probably", "rly": "really", "luv": "love", "idk": "i don't know",
    "cannot": "can't", "tmrw": "tomorrow", "tmr": "tomorrow", "favourite": "favorite",
}  # fmt: skip
_WORD = re.compile(r"[a-z']+")


@dataclass(frozen=True, slots=True)
class Family:
    """One type of gist: how it is worded, how sure that is, and what speaks against it."""

    type: GistType
    confidence: float
    wording: re.Pattern[str]
    guards: tuple[re.Pattern[str], ...]


@cache
def families() -> tuple[Family, ...]:
    """Return the types in the order in which they are tried."""
    data: dict[str, Any] = tomllib.loads(_FILE.read_text("utf-8"))
    words = _filled(data["words"])
    guards = {name: _any(listed, words) for name, listed in data["guards"].items()}
    return tuple(
        Family(
            cast("GistType", one["type"]),
            float(one["confidence"]),
            _any(one["any"], words),
            tuple(guards[name] for name in one["unless"]),
        )
        for one in data["gist"]
    )


def read(seen: str) -> str:
    """Return a sentence in lower case and usual spelling, without its lead-in."""
    text = _SPACE.sub(" ", seen.lower().replace("’", "'").replace("*", "")).strip()
    text = _WORD.sub(lambda match: _SPELLED.get(match[0], match[0]), text)
    lead = _LEAD.match(text)
    return text if lead is None or lead.end() == len(text) else text[lead.end() :]


def lead(text: str) -> int:
    """Count the characters of a sentence's lead-in."""
    found = _LEAD.match(text.lower().replace("\u0130", "i").replace("’", "'"))
    return 0 if found is None or found.end() >= len(text) else found.end()


def _filled(words: Mapping[str, str]) -> dict[str, str]:
    filled: dict[str, str] = {}
    for name, text in words.items():
        filled[name] = _with(text, filled)
    return filled


def _with(text: str, words: Mapping[str, str]) -> str:
    return re.sub(r"\{([a-z]+)\}", lambda match: words[match[1]], text)


def _any(listed: Sequence[str], words: Mapping[str, str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{_with(one, words)})" for one in listed))
