"""Facts that were said of a person, by a name, and traits. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, cast

from quipu.kernel.prose.gate import guarded, refusal
from quipu.kernel.prose.lexicon import beside
from quipu.kernel.prose.patterns import filled
from quipu.kinds.episodes.chunking.gists import Judged
from quipu.kinds.episodes.shapes import Fact, Trait, TraitCategory

MOST_FACTS: Final = 5
MOST_TRAITS: Final = 20

_EXPLICIT: Final = 0.9
_HEDGED_BY: Final = 0.25
_INFERRED: Final = 0.6
_HEDGED = re.compile(r"(?i)\b(?:i think|i guess|probably|maybe|perhaps|i suppose|not sure|might)\b")
_NOT_SAID = re.compile(r"^\W*(?:if|imagine|suppose|what if|pretend|unless|maybe if)\b", re.IGNORECASE)
_MINE = re.compile(
    r"\b[Mm]y (?P<k>(?:favou?rite |new |old |current |best )?[a-z]+(?: [a-z]+)?)(?: is|['’]s| are)"
    r"(?: called| named)? (?P<v>[^,.;!?()\n]{1,60}?)(?=$|[,.;!?()]| (?:and|but|because|since|so|when"
    r"|which|who)\b)"
)
_LIKES = re.compile(
    r"(?i)\bI (?P<how>(?:really |absolutely |just |also )*(?:love|like|enjoy|adore|prefer|hate|dislike"
    r"|detest|can['’]t stand"
    r"|don['’]t like|don['’]t enjoy))(?! to (?:know|ask|hear|see)| (?:it|that|this|you|your|how|when"
    r"|what|the idea)\b)"
    r" (?P<v>[^,.;!?()\n]{2,60}?)(?=$|[,.;!?()]| (?:because|since|so|when|which|but|and (?:i|my|we))\b)"
)
_NAMED_VALUE = re.compile(r"(?:(?:the|an?) )?(?:[A-Z]|[\w.+-]*\d)|\S+@\S+|\S+/\S+")
"""A name, a number or an address; other things that are said of a thing ("a doormat", "sad") do not last."""

_PAST: Final = re.compile(
    r"(?:never |rarely )?(?:\w+ed|left|had|saw|went|did|got|knew|thought|was|were|been|heard|came|found|made"
    r"|met|said|took|bought|told|lost|wrote|felt|ate|forgot|paid|mind)\b"
)
_NOT_LIKING = re.compile(r"hate|dislike|detest|stand|don", re.IGNORECASE)
_NO_VALUE = re.compile(
    r"(?i)^(?:not|going|getting|doing|coming|just|really|very|so|too|also|still|always|a bit|fine|good"
    r"|great|ok|okay|ready"
    r"|here|there|due|about|in|on|at|to|that|the (?:one|best|same)|what|how|why|it|over|gone|down|up"
    r"|out|back"
    r"|asking|trying|telling|being|broken|wrong|dead|sick|late)\b"
)
_KEY = re.compile(r"[^a-z0-9]+")
_RELATIVE: Final = frozenset((
    "wife", "husband", "partner", "girlfriend", "boyfriend", "mother", "father", "mom", "mum", "dad",
    "sister", "brother", "son", "daughter", "dog", "cat", "boss", "manager", "friend", "roommate", "baby",
))  # fmt: skip
_NO_KEY: Final = frozenset((
    "point", "question", "problem", "guess", "plan", "goal", "idea", "thought", "issue", "hope", "mistake",
    "bad", "concern", "worry", "opinion", "understanding", "day", "life", "head", "heart", "god", "thing",
    "feeling", "name", "birthday", "job", "hometown",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Keyed:
    key: str
    patterns: tuple[re.Pattern[str], ...]
    value: str
    category: TraitCategory


@dataclass(frozen=True, slots=True)
class _Known:
    keyed: tuple[_Keyed, ...]
    literal: re.Pattern[str]
    habit: re.Pattern[str]
    figurative: re.Pattern[str]
    relatives: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class _Statement:
    key: str
    value: str
    category: TraitCategory
    confidence: float
    literal: bool = True
    inferred: bool = False


def facts(judged: Sequence[Judged]) -> tuple[Fact, ...]:
    """Return the facts by name: at most 5, each key once, surest first, none of them figurative."""
    best: dict[str, _Statement] = {}
    for fact in _facts(judged):
        known = best.get(fact.key)
        if fact.literal and not fact.inferred and (known is None or fact.confidence > known.confidence):
            best[fact.key] = fact
    chosen = sorted(best.values(), key=lambda one: -one.confidence)[:MOST_FACTS]
    return tuple(Fact(key=one.key, value=one.value, confidence=one.confidence) for one in chosen)


def traits(judged: Sequence[Judged]) -> tuple[Trait, ...]:
    """Return the traits that the first speaker states or lets show; figurative speech is marked as such."""
    best: dict[tuple[str, str], _Statement] = {}
    for trait in (*_facts(judged), *_shown(judged)):
        place = trait.key, trait.value.lower()
        if place not in best or trait.confidence > best[place].confidence:
            best[place] = trait
    return tuple(
        Trait(
            key=one.key,
            value=one.value,
            category=one.category,
            confidence=one.confidence,
            source="inferred" if one.inferred else "explicit",
            is_literal=one.literal,
        )
        for one in list(best.values())[:MOST_TRAITS]
    )


def _facts(judged: Sequence[Judged]) -> Iterator[_Statement]:
    """Yield keyed facts, "my X is Y", and likings."""
    for one in judged:
        if not one.began or one.text.rstrip().endswith("?"):
            continue
        text = _own(one)
        told = (*_keyed(text), *_mine(text), *_likes(text))
        if not told or _is_not_own(one.text):
            continue
        sure = _EXPLICIT - _HEDGED_BY * bool(_HEDGED.search(one.text))
        literal = _known().figurative.search(one.text.lower()) is None
        for key, value, category in told:
            yield _Statement(key, value, category, round(sure, 2), literal)


def _own(one: Judged) -> str:
    """Return a text in its speaker's own words: code and quotations as ``x``."""
    if len(one.text) != len(one.seen):
        return one.text
    return "".join("x" if seen == "x" else said for said, seen in zip(one.text, one.seen, strict=True))


def _keyed(text: str) -> Iterator[tuple[str, str, TraitCategory]]:
    for keyed in _known().keyed:
        match = next((hit for one in keyed.patterns if (hit := one.search(text))), None)
        if match is not None and (value := _value(match["v"])):
            yield keyed.key, keyed.value.replace("{v}", value), keyed.category


def _mine(text: str) -> Iterator[tuple[str, str, TraitCategory]]:
    for match in _MINE.finditer(text):
        key = _KEY.sub("_", match["k"].lower().replace("favourite", "favorite")).strip("_")
        value = _value(match["v"])
        if (
            not value
            or key in _NO_KEY
            or key.split("_")[-1] in _NO_KEY
            or _NO_VALUE.match(value)
            or key in {"name", "birthday", "job", "hometown"}
        ):
            continue
        if key.split("_")[-1] in _RELATIVE:
            if re.fullmatch(r"[A-Z][\w'’-]{1,30}(?: [A-Z][\w'’-]+)?", value):
                yield f"{key}_name"[:64], value, "relationship"
        elif key.startswith("favorite") or _NAMED_VALUE.match(value):
            yield key[:64], value, "preference" if key.startswith("favorite") else "general"


def _likes(text: str) -> Iterator[tuple[str, str, TraitCategory]]:
    for match in _LIKES.finditer(text):
        value = _value(match["v"])
        if value and not _NO_VALUE.match(value) and _lasts(f"The user likes {value}."):
            key = "dislikes" if _NOT_LIKING.search(match["how"]) else "likes"
            yield key, value, "preference"


def _shown(judged: Sequence[Judged]) -> Iterator[_Statement]:
    """Yield a person's own statements of character, habits and relations."""
    known = _known()
    for one in judged:
        if not one.began or _NOT_SAID.match(one.text) or guarded(("quoted",), one.text):
            continue
        text = _own(one).lower().replace("’", "'")
        literal = known.figurative.search(text) is None
        for match in known.literal.finditer(text):
            yield _Statement("character", match["v"], "core", _EXPLICIT, literal)
        for match in known.habit.finditer(text):
            value = (match["v"] or match["w"] or "").strip()
            if value and not _PAST.match(value) and _lasts(f"The user {value}."):
                yield _Statement("habit", value, "general", 0.75, literal)
        for match in known.relatives.finditer(text):
            key = _KEY.sub("_", match["v"].replace("é", "e")).strip("_")
            yield _Statement(
                f"has_{key}", f"has a {match['v']}", "relationship", _INFERRED, literal, inferred=True
            )
        if not literal and re.match(r"^\W*(?:\w+ ){0,2}(?:i'm|i am|i feel)\b", text):
            yield _Statement(
                "feels", text.strip(" .!?")[:200], "general", _INFERRED, literal=False, inferred=True
            )


def _is_not_own(text: str) -> bool:
    """Return True if a sentence is no statement of one's own life: "imagine I ...", "she said I ..."."""
    return bool(_NOT_SAID.match(text)) or guarded(("hypothetical", "quoted", "sarcasm"), text)


def _lasts(statement: str) -> bool:
    return refusal(statement, category="preference", family="likes", said=statement) is None


def _value(text: str) -> str:
    return " ".join(text.split()).strip(" '\"“”’*_-:.")[:300]


@cache
def _known() -> _Known:
    data: dict[str, Any] = beside(__file__, "keys")
    words: Mapping[str, str] = data["words"]
    keyed = tuple(
        _Keyed(
            one["key"],
            tuple(re.compile(filled(text, words)) for text in one["any"]),
            one.get("value", "{v}"),
            cast("TraitCategory", one["category"]),
        )
        for one in data["fact"]
    )
    traits: Mapping[str, str] = data["traits"]
    named = {name: re.compile(traits[name]) for name in ("literal", "habit", "figurative", "relatives")}
    return _Known(keyed, **named)
