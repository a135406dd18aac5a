"""English verbs after "the user": the third person of what was said in the first."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from typing import Final

from quipu.kernel.prose.lexicon import lexicon

_IRREGULAR: Final = {
    "am": "is", "are": "is", "'m": "is", "'re": "is", "have": "has", "'ve": "has", "do": "does",
    "don't": "does not", "do not": "does not", "haven't": "has not", "aren't": "is not", "were": "was",
    "weren't": "was not", "'ll": "will", "'d": "would", "go": "goes", "can't": "cannot",
    "won't": "will not", "'d rather": "would rather", "'d like": "would like", "'d prefer": "would prefer",
    "be": "is",
}  # fmt: skip
_UNCHANGED: Final = frozenset((
    "will", "would", "should", "must", "can", "could", "may", "might", "shall", "ought", "was", "had",
    "did", "has", "is", "does", "didn't", "wouldn't", "shouldn't", "mustn't", "couldn't", "wasn't",
    "hadn't", "cannot", "chose", "went", "said", "told", "meant", "forgot", "made", "broke", "got", "put",
    "kept", "wrote", "took", "gave", "ran", "began", "found", "thought", "built", "set", "split", "cut",
    "let", "read", "knew", "saw", "came", "left", "lost", "sent", "spent", "stood", "understood",
    "misunderstood", "misread", "overwrote", "hit", "held", "swapped", "became", "fell", "felt", "grew",
    "bought", "taught", "drank", "ate", "drove", "rode", "flew", "met", "slept", "paid", "sold", "spoke",
    "stuck", "won", "hid", "mistook", "shut",
))  # fmt: skip
_PRESENT: Final = ("need", "feed", "seed", "embed", "speed", "exceed", "succeed", "proceed", "bleed", "breed")
_ADVERBS: Final = frozenset((
    "always", "never", "usually", "normally", "typically", "generally", "really", "strongly", "still",
    "also", "just", "mostly", "often", "only", "now", "currently", "personally", "definitely", "already",
    "clearly", "actually", "deliberately", "again", "both", "all", "absolutely", "much", "explicitly",
    "rarely", "sometimes", "even", "completely", "simply", "first", "then", "therefore", "too", "mainly",
    "consistently", "repeatedly", "not", "recently", "finally", "occasionally", "originally", "primarily",
    "truly", "nearly", "almost", "hardly", "seldom", "frequently", "regularly", "totally", "quite", "proudly",
    "genuinely", "basically", "honestly", "obviously", "apparently", "officially", "thoroughly",
))  # fmt: skip
_WORD = re.compile(r"(?:\s+no\s+longer)?\s+([\w'’]+)")
_READS: Final = re.compile(r"(?i)read(?= (?:mostly|mainly|only|a lot|lots)\b)")  # as a habit: not of the past
_CLITIC = re.compile(r"['’](?:m|re|ve|ll|d)\b", re.IGNORECASE)


def conjugated(rest: str) -> str:
    """Return the words after "I", "we" or "you" as they follow "the user": "don't like", "does not like"."""
    clitic = _CLITIC.match(rest)
    if clitic:
        form = clitic[0].replace("’", "'").lower()
        return f" {_IRREGULAR[form]}{rest[clitic.end() :]}"
    at = 0
    while (match := _WORD.match(rest, at)) is not None:
        word = match[1].replace("’", "'")
        if _READS.match(rest, match.start(1)):
            return f"{rest[: match.end(1)]}s{rest[match.end(1) :]}"
        if word.lower() not in _ADVERBS:
            return f"{rest[: match.start(1)]}{third_person(word)}{rest[match.end(1) :]}"
        at = match.end(1)
    return rest


def third_person(verb: str) -> str:
    """Return the verb as it stands after "she"; past and modal forms stay."""
    lower = verb.lower()
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    past = lower.endswith("ed") and not lower.endswith(_PRESENT)
    if lower in _UNCHANGED or past or not lower.isalpha():
        return verb
    if lower.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{verb}es"
    if lower.endswith("y") and lower[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}s"


def _past(verb: str, doubled: Collection[str]) -> str:
    if verb.endswith("e"):
        return f"{verb}d"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ied"
    return f"{verb}{verb[-1]}ed" if verb in doubled else f"{verb}ed"


@cache
def plain() -> frozenset[str]:
    """Return the forms of common verbs that follow "I", "we" or "they"."""
    data = lexicon("verbs")["english"]
    return _OF_MANY | {*data["regular"].split(), *(one.split()[0] for one in data["strong"])}


@cache
def finite() -> frozenset[str]:
    """Return the forms of common verbs that follow "he", "she" or a name, and those of the past."""
    data = lexicon("verbs")["english"]
    regular, doubled = data["regular"].split(), data["doubled"].split()
    forms = {third_person(one) for one in regular} | {_past(one, doubled) for one in regular}
    strong = {form for one in data["strong"] for form in one.split()[1:]}
    return (_AUXILIARY | forms | strong) - {"been", "gotten", *_OF_MANY}


@cache
def past() -> frozenset[str]:
    """Return the forms of common verbs that stand in the past, those of "have" left out."""
    data = lexicon("verbs")["english"]
    regular, doubled = data["regular"].split(), data["doubled"].split()
    strong = frozenset(form for one in data["strong"] for form in one.split()[2:])
    return (strong | {_past(one, doubled) for one in regular} | {"did", "was", "were"}) - {"are", "am", "has"}


_OF_MANY: Final = frozenset(("am", "are", "don't", "aren't", "haven't", "weren't"))
_AUXILIARY: Final = frozenset((
    "can", "cannot", "can't", "could", "couldn't", "will", "won't", "would", "wouldn't", "should",
    "shouldn't", "must", "might", "may", "isn't", "wasn't", "hasn't", "hadn't", "doesn't", "didn't",
    "needn't", "ain't",
))  # fmt: skip
