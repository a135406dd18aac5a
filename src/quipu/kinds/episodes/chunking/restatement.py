"""A sentence retold so that it stands alone: "I moved to Porto" becomes "Ana moved to Porto." Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, cast

from quipu.kernel.prose.lexicon import beside
from quipu.kernel.prose.patterns import any_of, entries
from quipu.kernel.prose.verbs import conjugated
from quipu.kinds.episodes.shapes import GistType

LONGEST: Final = 400
"""Characters of a gist; a longer sentence is cut between words."""

_HIDDEN = re.compile(r"`[^`\n]{1,300}`|\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|https?://\S{1,400}")
_PERSON = re.compile(r"(?<![\w'’/.-])(I|we|you)(?=['’](?:m|re|ve|ll|d)\b|\s+[a-z'’]+)(?![/-])", re.IGNORECASE)
_LETS = re.compile(r"^let['’]?s\s+", re.IGNORECASE)
_BEFORE_A_SUBJECT: Final = frozenset((
    "and", "but", "or", "so", "that", "if", "when", "whenever", "because", "since", "while", "until",
    "unless", "before", "after", "as", "than", "what", "which", "who", "where", "why", "how", "do", "did",
    "does", "can", "could", "will", "would", "should", "are", "were", "have", "had", "may", "might", "think",
    "know", "hope", "guess", "believe", "said", "say", "wish", "suppose", "though", "although", "whether",
    "then", "maybe", "perhaps",
))  # fmt: skip
_PLURAL_CLITIC: Final = {"'re": " are", "'ve": " have", "'ll": " will", "'d": " would"}


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
    data: dict[str, Any] = beside(__file__, "patterns")
    words = entries(data["words"])
    guards = {name: any_of(listed, words) for name, listed in data["guards"].items()}
    return tuple(
        Family(
            cast("GistType", one["type"]),
            float(one["confidence"]),
            any_of(one["any"], words),
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
    match = _LEAD.match(text.lower().replace("\u0130", "i").replace("’", "'"))
    return 0 if match is None or match.end() >= len(text) else match.end()


def retell(sentence: str, *, who: str, other: str = "the assistant") -> str:
    """Return the sentence with persons named: I is ``who``, we ``who`` and others, you is ``other``.

    The lead-in is left out; code, quotations and addresses stay as they are.
    """
    text = " ".join(sentence.split())
    text = text[lead(text) :]
    text = _LETS.sub(f"{who} and others ", text)
    pieces: list[str] = []
    at = 0
    for hidden in _HIDDEN.finditer(text):
        pieces += [_named(text[at : hidden.start()], who, other), hidden[0]]
        at = hidden.end()
    pieces.append(_named(text[at:], who, other))
    return _finished("".join(pieces))


def ask(question: str, *, who: str) -> str:
    """Return a question as what somebody wanted: ``Ana asked: "How do I prune roses?"``."""
    text = " ".join(question.split())
    return _capital(f'{who} asked: "{_cut(text[lead(text) :]).strip(chr(34))}"')


def _named(text: str, who: str, other: str) -> str:
    text = _subjects(text, who, other)
    for pattern, name in _objects(who, other):
        text = pattern.sub(name.replace("\\", "\\\\"), text)
    return text


def _subjects(text: str, who: str, other: str) -> str:
    """Name persons that are subjects and fit their verbs, from last to first, so that places stay."""
    for match in reversed(list(_PERSON.finditer(text))):
        word, rest = match[1].lower(), text[match.end() :]
        if word == "you" and _is_object(text[: match.start()]):
            named = other
        elif word == "we":
            named, rest = f"{who} and others", _plural(rest)
        else:
            named, rest = (who if word == "i" else other), conjugated(rest)
        text = text[: match.start()] + named + rest
    return text


def _plural(rest: str) -> str:
    for clitic, verb in _PLURAL_CLITIC.items():
        if rest.replace("’", "'").lower().startswith(clitic):
            return verb + rest[len(clitic) :]
    return rest


def _is_object(before: str) -> bool:
    """Return True if a "you" after this is no subject: "I'll send you the list"."""
    words = before.split()
    if not words or words[-1][-1] in ",.;:!?–—-(":
        return False
    return words[-1].lower() not in _BEFORE_A_SUBJECT


def _objects(who: str, other: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    return (
        (_MY, f"{who}'s"),
        (_ME, who),
        (_MYSELF, who),
        (_OUR, f"{who} and others'"),
        (_US, f"{who} and others"),
        (_YOUR, f"{other}'s"),
        (_YOU, other),
    )


_MY = re.compile(r"(?<![\w'’/.-])(?:my|mine)\b(?![/.-]\w)", re.IGNORECASE)
_ME = re.compile(r"(?<![\w'’/.-])(?:me|I)\b(?![/.-]\w)")
_MYSELF = re.compile(r"(?<![\w'’/.-])myself\b", re.IGNORECASE)
_OUR = re.compile(r"(?<![\w'’/.-])(?:our|ours)\b(?![/.-]\w)", re.IGNORECASE)
_US = re.compile(r"(?<![\w'’/.-])us\b(?![/.-]\w)")
_YOUR = re.compile(r"(?<![\w'’/.-])(?:your|yours)\b(?![/.-]\w)", re.IGNORECASE)
_YOU = re.compile(r"(?<![\w'’/.-])you\b(?![/.-]\w)", re.IGNORECASE)


def _finished(text: str) -> str:
    text = _cut(" ".join(text.split()).strip(" ,;:-–"))
    if not text:
        return text
    text = _capital(text)
    return text if text[-1] in ".!?…" else f"{text}."


def _capital(text: str) -> str:
    first = text.split(None, 1)[0]
    plain = first.rstrip(",:;").isalpha() and first[1:].islower()
    return text[0].upper() + text[1:] if plain or len(first) == 1 else text


def _cut(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return text[: LONGEST - 1].rsplit(None, 1)[0] + "…"
