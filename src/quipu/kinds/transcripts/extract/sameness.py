"""Sameness of facts: when two say the same, and when one says the opposite of the other."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Final

SAME: Final = 0.95
"""Facts whose vectors have this cosine say the same (unless they contradict each other)."""

_WORD = re.compile(r"[~\w./+#@:%-]*\w[+#%]*")
_EMPTY: Final = frozenset((
    "a", "an", "the", "please", "of", "is", "are", "be", "to", "that", "this", "these", "those", "very",
    "really", "also", "just", "so", "too", "always", "user", "users", "user's", "team", "team's", "agent",
))  # fmt: skip
_POINTING: Final = frozenset((
    "it", "them", "they", "one", "ones", "something", "anything", "everything", "nothing", "thing", "things",
    "more", "any", "all", "some", "new", "other", "others", "what", "how", "when", "you", "we", "i", "he",
    "she", "my", "your",
))  # fmt: skip
"""Words that stand for a thing and do not name it: who does not like "it" need not mean the same."""

_CHOICES: Final = (
    re.compile(r"\b(?:prefers?|favou?rs?|likes?|wants?|uses?|chose|choose|picked)\s+(?P<yes>.{1,60}?)\s+"
               r"(?:over|rather than|instead of|more than|than|not|to)\s+(?P<no>.{1,60})"),
    re.compile(r"\buses?\s+(?P<yes>.{1,60}?),\s*(?:not|never|instead of|rather than)\s+(?P<no>.{1,60})"),
    re.compile(r"\brather\s+(?:\w+\s+)?(?P<yes>.{1,60}?)\s+than\s+(?P<no>.{1,60})"),
)  # fmt: skip
_DENIED = re.compile(
    r"\b(?:(?:does not|don't|do not|never|no longer|must not|should not|shouldn't|avoids?|stop|hates?"
    r"|dislikes?|no)\s+)"
    r"(?:(?:want|like|use|using|write|writing|add|adding|need|ever|commit|do|allow|have|prefer)s?\s+)?"
    r"(?P<no>.{1,60})"
)
_WANTED = re.compile(
    r"(?:\b(?:always|prefers?|likes?|loves?|wants?|favou?rs?|uses?|requires?|expects?)\s+)"
    r"(?:(?:use|write|add|commit|do|allow|have|prefer|to)\s+)?(?P<yes>.{1,60})"
)
_BREAK = re.compile(
    r"\s*(?:[,.;:!?(]|\b(?:because|so|when|unless|for|in|on|at|by|with|and|but|if|since|everywhere)\b)"
)
_FEWEST_WORDS: Final = 4
_VALUE = re.compile(r"^(?:[~/].+|.*\d.*|.+[./@].+)$")


@dataclass(frozen=True, slots=True)
class _Stance:
    """Stance of a fact: what it chooses and what it rejects, each as the words of the thing."""

    chosen: frozenset[frozenset[str]]
    rejected: frozenset[frozenset[str]]


def normal_form(fact: str) -> str:
    """Return the words of a fact without case, articles and punctuation: equal facts have equal forms."""
    return " ".join(word for word in _words(fact) if word not in _EMPTY)


def normal_hash(fact: str) -> bytes:
    """Return the SHA-256 of the normal form, 32 bytes."""
    return hashlib.sha256((normal_form(fact) or fact).encode("utf-8", "replace")).digest()


def contradicts(fact: str, other: str) -> bool:
    """Return True if the two facts cannot both be true, by their words: symmetric, never of a fact itself.

    One chooses what the other rejects ("prefers tabs over spaces", "never use tabs"), or they are the same
    but for one value ("runs on port 8080", "runs on port 9090").
    """
    one, two = _stance(fact), _stance(other)
    if one.chosen & two.chosen or one.rejected & two.rejected:
        return False
    if one.chosen & two.rejected or two.chosen & one.rejected:
        return True
    return _other_value(_words(fact), _words(other))


def _words(fact: str) -> list[str]:
    return _WORD.findall(fact.lower().replace("’", "'").rstrip(" .!?;:"))


def _thing(text: str) -> frozenset[str]:
    end = _BREAK.search(text)
    part = text[: end.start()] if end and end.start() else text
    return frozenset(word.rstrip("s") or word for word in _words(part) if word not in _EMPTY | _POINTING)


def _stance(fact: str) -> _Stance:
    text = fact.lower().replace("’", "'")
    for choice in _CHOICES:
        match = choice.search(text)
        if match:
            return _Stance(_one(match["yes"]), _one(match["no"]))
    denied = _DENIED.search(text)
    if denied:
        return _Stance(frozenset(), _one(denied["no"]))
    wanted = _WANTED.search(text)
    return _Stance(_one(wanted["yes"]) if wanted else frozenset(), frozenset())


def _one(text: str) -> frozenset[frozenset[str]]:
    thing = _thing(text)
    return frozenset((thing,)) if thing else frozenset()


def _other_value(one: list[str], two: list[str]) -> bool:
    """Return True if they have the same words in the same order, but for one value that each has.

    The value stands in the second half: "service 1 runs here" and "service 2 runs here" are of two things.
    """
    if len(one) != len(two) or len(one) < _FEWEST_WORDS:
        return False
    apart = [place for place, (a, b) in enumerate(zip(one, two, strict=True)) if a != b]
    return len(apart) == 1 and 2 * apart[0] >= len(one) and all(_VALUE.match(w[apart[0]]) for w in (one, two))
