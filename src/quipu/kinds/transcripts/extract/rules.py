"""Lasting facts in the words of one sentence. Pure, deterministic, linear in the sentence's length."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, cast

from quipu.kernel.prose.lexicon import beside
from quipu.kernel.prose.patterns import any_of
from quipu.kinds.transcripts.extract.model import Category

_HEDGED = re.compile(
    r"\b(?:i think|i guess|probably|i believe|as far as i know|afaik|iirc|i suppose|should be|kind of)\b"
)
_SPELLED: Final = {
    "dont": "don't", "doesnt": "doesn't", "didnt": "didn't", "isnt": "isn't", "arent": "aren't",
    "wasnt": "wasn't", "cant": "can't", "wont": "won't", "shouldnt": "shouldn't", "couldnt": "couldn't",
    "havent": "haven't", "hasnt": "hasn't", "im": "i'm", "ive": "i've", "youre": "you're",
    "youve": "you've", "theyre": "they're", "thats": "that's", "whats": "what's", "lets": "let's",
    "weve": "we've", "theres": "there's", "pls": "please", "plz": "please", "u": "you", "alway": "always",
    "allways": "always", "nver": "never", "prefere": "prefer", "preffer": "prefer", "usualy": "usually",
    "everytime": "every time", "wanna": "want to", "gonna": "going to", "gotta": "have to", "bc": "because",
    "shoud": "should", "shoudl": "should", "cannot": "can't",
}  # fmt: skip
_WORD = re.compile(r"[a-z]+")
_SPACE = re.compile(r"\s+")
_LEAD = re.compile(
    r"""(?:
        (?:and|but|also|plus|so|fyi|btw|by\ the\ way|note(?:\ that)?|please|for\ context
          |for\ your\ information
          |keep\ in\ mind(?:\ that)?|be\ aware(?:\ that)?|just\ so\ you\ know|for\ the\ record|in\ general
          |generally|ok(?:ay)?|well|hm+|ah|oh|uh|um|tbh|honestly|fwiw|i\ think(?:\ that)?|remember\ that
          |also\ note(?:\ that)?|as\ a\ reminder|besides|the\ thing\ is(?:\ that)?)\b[\s,:;.!-]*
      | (?:ok|k|thanks?(?:\ (?:you|a\ lot))?|thx|great(?:\ work|\ job)?|good(?:\ job)?|nice|cool|perfect|hey
          |hi
          |right|yes|yeah|yep|sure|one\ (?:more\ )?thing|remember|reminder|context|rule|important|careful
          |heads[ -]up|ps|then|first|looks\ good|lgtm|makes\ sense|got\ it|alright|listen
          |for\ what\ it's\ worth)\s*[,:;.!-]+\s*
    )+""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Wording:
    """Expressions of which one fits: those for the beginning of a sentence, and those for anywhere in it.

    They are kept apart because the first need not be tried at every letter.
    """

    beginning: re.Pattern[str] | None
    anywhere: re.Pattern[str] | None

    def fits(self, text: str) -> bool:
        """Return True if the sentence is worded so."""
        if self.beginning is not None and self.beginning.match(text):
            return True
        return self.anywhere is not None and self.anywhere.search(text) is not None


@dataclass(frozen=True, slots=True)
class Family:
    """One way to say something that lasts. ``explicitness``: 0 to 1, how surely it is meant to."""

    name: str
    category: Category
    explicitness: float
    guards: tuple[str, ...]
    wording: Wording


@dataclass(frozen=True, slots=True)
class Patterns:
    """All families, in the order in which they are tried, and the guards by name."""

    families: tuple[Family, ...]
    guards: Mapping[str, Wording]


@cache
def patterns() -> Patterns:
    """Return the patterns, read from their file the first time."""
    data: dict[str, Any] = beside(__file__, "patterns")
    words: dict[str, str] = data["words"]
    guards = {name: _any(listed, words) for name, listed in data["guards"].items()}
    return Patterns(tuple(_family(one, words) for one in data["family"]), guards)


def _family(one: Mapping[str, Any], words: Mapping[str, str]) -> Family:
    category = cast(Category, one["category"])
    return Family(one["name"], category, one["explicitness"], tuple(one["unless"]), _any(one["any"], words))


def _any(listed: Sequence[str], words: Mapping[str, str]) -> Wording:
    """Return all expressions of a list as one wording."""
    first = [one[1:] for one in listed if one.startswith("^")]
    other = [one for one in listed if not one.startswith("^")]
    return Wording(any_of(first, words) if first else None, any_of(other, words) if other else None)


def read(seen: str) -> str:
    """Return the sentence for the patterns: lower case, straight apostrophes, misspellings corrected."""
    text = _SPACE.sub(" ", seen.lower().replace("’", "'").replace("`", "'"))
    return _WORD.sub(lambda match: _SPELLED.get(match[0], match[0]), text).strip()


def lead(text: str) -> int:
    """Count the characters of the lead-in, in a text as it was written."""
    match = _LEAD.match(text.lower().replace("\u0130", "i").replace("’", "'"))
    return 0 if match is None or match.end() == len(text) else match.end()


def led(text: str) -> str:
    """Return the sentence without its lead-in: "ok, fyi: we use x" is "we use x"."""
    return text[lead(text) :]


@dataclass(frozen=True, slots=True)
class CategoryVerdict:
    """``category`` is None where the words do not decide. ``explicitness``: 0 to 1.

    ``hedged``: whoever said it was not sure.
    """

    category: Category | None
    explicitness: float
    hedged: bool


def judge(seen: str) -> CategoryVerdict:
    """Judge a sentence with its code and quotations hidden (``Sentence.seen``)."""
    whole = read(seen)
    text = led(whole)
    hedged = _HEDGED.search(whole) is not None
    raised: dict[str, bool] = {}
    for family in patterns().families:
        if family.wording.fits(text) and not any(_raised(name, text, raised) for name in family.guards):
            return CategoryVerdict(family.category, family.explicitness, hedged)
    return CategoryVerdict(None, 0.0, hedged)


def is_open(seen: str) -> bool:
    """Return True if a sentence that no family fits may still say something that lasts: no guard fits it."""
    text = led(read(seen))
    return not any(guard.fits(text) for guard in patterns().guards.values())


def _raised(name: str, text: str, known: dict[str, bool]) -> bool:
    """Return True if a guard fits; looked up once for each sentence, and only if a family fits."""
    if name not in known:
        known[name] = patterns().guards[name].fits(text)
    return known[name]
