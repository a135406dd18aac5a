"""Decision on a claim, given the existing memories: news, a change, or nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from quipu.kinds.longterm.evaluating.claims import Claim, Told
from quipu.kinds.longterm.evaluating.known import Known, holding
from quipu.kinds.longterm.evaluating.words import content

_ALIKE = 0.6
"""Share of words that two values must have in common for one to be the denial of the other."""

_FLIPPING = ("able:", "likes:", "consumes:", "has:", "speaks:")
_MENTIONED = ("mentioned", "mentioned by name")
_NUMBERS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
}


@dataclass(frozen=True, slots=True)
class Same:
    """The memory says it already."""

    memory: Known


@dataclass(frozen=True, slots=True)
class Change:
    """The memory is to say ``summary`` from now on."""

    memory: Known
    summary: str
    reason: str


def decide(
    found: Claim, among: Sequence[Known], *, old: str | None = None, wrong: bool = False
) -> Same | Change | None:
    """Decide whether a memory says the same or is to be changed by a claim; None for news.

    ``old`` are words that the speaker called wrong. ``wrong`` is true if they said that something known is
    wrong.
    """
    if old is not None:
        meant = [one for one in holding(old, among) if _about_the_same(found, one)]
        if meant:
            return _corrected(found, meant[0], old)
    words = content(found.summary)
    if found.family in _MENTIONED:
        return next((Same(one) for one in among if _implies(one, found)), None)
    for one in among:
        decided = _against(found, words, one, wrong=wrong)
        if decided is not None:
            return decided
    return None


def _about_the_same(found: Claim, one: Known) -> bool:
    slots = {told.slot.split(":")[0].split("/")[0] for told in one.told}
    return one.category == found.category or any(
        told.slot.split(":")[0].split("/")[0] in slots for told in found.told
    )


def _corrected(found: Claim, one: Known, old: str) -> Change:
    main = found.told[0]
    kept = {told.slot for told in one.told if told.slot != "named"} - {told.slot for told in found.told}
    longer = len(one.words) > len(content(found.summary))
    if (
        (kept or longer)
        and main.value
        and main.slot not in ("job",)
        and not found.family.startswith("another: state")
    ):
        return Change(one, replaced(one.summary, old, main.value), "corrected")
    return Change(one, found.summary, "corrected")


def replaced(summary: str, old: str, new: str) -> str:
    """Return the summary with new words in place of the old; an article that both have appears once."""
    if re.match(r"(?:an?|the)\s", new, re.IGNORECASE):
        old_pattern = rf"(?:(?:an?|the)\s+)?(?<!\w){re.escape(old)}(?!\w)"
    else:
        old_pattern = rf"(?<!\w){re.escape(old)}(?!\w)"
    return re.sub(old_pattern, new.replace("\\", ""), summary, count=1, flags=re.IGNORECASE)


def _implies(one: Known, mentioned: Claim) -> bool:
    """Return True if a memory says that somebody exists, under the name with which they were mentioned."""
    main = mentioned.told[0]
    name = next((told.value for told in mentioned.told if told.slot == "named"), None)
    key = main.slot.split(":")[-1].split("/")[0]
    if name is not None:
        return name.lower() in one.summary.lower()
    kin = any(key in re.split(r"[:/]", told.slot) for told in one.told)
    return kin or re.search(rf"\b{re.escape(key)}s?\b", one.summary, re.IGNORECASE) is not None


def _against(found: Claim, words: frozenset[str], one: Known, *, wrong: bool) -> Same | Change | None:
    for told in found.told:
        if told.slot == "named":
            continue
        for other in one.told:
            decided = _value(
                found, words, replace(told, single=told.single or wrong), other, one, wrong=wrong
            )
            if decided is not None:
                return decided
    same_words = words <= one.words and found.category == one.category
    denied = any(told.denied for told in found.told) or " not " in found.summary
    if (
        same_words
        and not found.told[0].single
        and denied == one.denies
        and found.family not in ("rather this",)
    ):
        return Same(one)
    return None


def _value(
    found: Claim, words: frozenset[str], told: Told, other: Told, one: Known, *, wrong: bool
) -> Same | Change | None:
    if told.slot != other.slot:
        return Change(one, found.summary, "no longer so") if _flips(told, other) else None
    if told.denied != other.denied:
        return Change(one, found.summary, "no longer so")
    if told.slot.startswith("prefers:"):
        same = told.value.lower() == other.value.lower()
        return Same(one) if same else Change(one, found.summary, "prefers otherwise")
    if told.key == other.key:
        first = told.slot == found.told[0].slot
        if words > one.words and first:
            return Change(one, found.summary, "more is known")
        return Same(one) if first else None
    if _counted(told, other):
        return Change(one, found.summary, "another number")
    if not (told.single and (other.single or wrong)):
        return None
    if told.key <= other.key:
        return Same(one)
    if other.key <= told.key:
        return Change(one, found.summary, "more is known")
    return Change(one, _updated(found, told, other, one), "another value")


def _updated(found: Claim, told: Told, other: Told, one: Known) -> str:
    """Return the memory with the new value, keeping other things in it that still hold."""
    told_slots = {each.slot for each in found.told}
    more = [each for each in one.told if each.slot not in told_slots and each.slot != "named"]
    if more and told.slot != "job" and other.value in one.summary:
        return replaced(one.summary, other.value, told.value)
    return found.summary


def _flips(told: Told, other: Told) -> bool:
    prefix = next(
        (one for one in _FLIPPING if told.slot.startswith(one) and other.slot.startswith(one)), None
    )
    if prefix is None or told.denied == other.denied:
        return False
    shared = told.key & other.key
    return len(shared) >= _ALIKE * min(len(told.key), len(other.key))


def _counted(told: Told, other: Told) -> bool:
    one, two = _number(told.value), _number(other.value)
    return one is not None and two is not None and one != two and min(one, two) > 1


def _number(value: str) -> int | None:
    first = value.split(" ", 1)[0].lower()
    return int(first) if first.isdigit() else _NUMBERS.get(first)
