"""Policy of what is never kept of people, in any kind of memory: decided by code, before the write. Pure.

A text is judged by its clauses, and a clause that is refused by the things it lists: what is refused of a
sentence does not take the rest of it along.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import groupby, takewhile
from pathlib import Path
from typing import Any, Final

from quipu.kernel.policy.clauses import (
    Clause,
    bare,
    clauses,
    has,
    headed,
    items,
    sentences,
    starts_anew,
    subject,
    thing,
)
from quipu.kernel.policy.setting import USUAL, Rule, rules
from quipu.kernel.redact import redact

_FILE: Final = Path(__file__).with_name("policy.toml")
_CARD = re.compile(r"(?<![\d.])(?:\d[ -]?){12,18}\d(?![\d])")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,4})?\b", re.IGNORECASE)
_DIGIT: Final = re.compile(r"\d")
_SECRET: Final = re.compile(r"\bpass(?:word|phrase|code|wort)\b", re.IGNORECASE)
_NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_FIGURES: Final = {name: str(at) for at, name in enumerate(_NAMES)}
_SPELLED: Final = re.compile(
    rf"(?i)\b(?:(?:{'|'.join(_FIGURES)}|oh)[ ,-]{{1,2}}){{2,}}(?:{'|'.join(_FIGURES)}|oh)\b"
)
_MARK: Final = "[redacted:"
GAP: Final = " … "
"""Where clauses are left out of a text."""

_MOST_LISTED: Final = 20
"""What lists more is no sentence: it is judged as a whole."""

_ONE: Final = "i|my|me|he|she|his|her|the user|the user's"
_KIN: Final = (
    "gran|grand(?:pa|ma|dad|mother|father)|mum|mom|dad|mother|father|wife|husband|brother|sister|uncle|aunt"
    "|nephew|niece|cousin"
)
_PERSON: Final = {
    "allergies": re.compile(rf"\b(?:{_ONE}|we|our|us|{_KIN})\b"),
    "health": re.compile(rf"\b(?:{_ONE}|we|our|us|{_KIN})\b"),
    "money": re.compile(rf"\b(?:{_ONE})\b"),  # "we" pay for a project
}
"""By whom a text about work is about somebody, by kind."""

_ASKING = re.compile(
    r"(?i)\b(?:remember|remind (?:me|us)|memori[sz]e|keep in mind|bear in mind|don['’]t forget|do not forget"
    r"|never forget|note that|take note|make a note)\b"
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict of the policy on a clause.

    ``refused`` is the reason why it may not be kept, in a few words that do not repeat it; None if it may.
    """

    start: int
    end: int
    text: str
    refused: str | None


@dataclass(frozen=True, slots=True)
class Policy:
    """``rules``: when each sensitive kind is kept. Secrets and ids of people and accounts never are.

    ``secrets``: whatever speaks of one is refused; without, a value that is told, for kinds that read the
    record, which was cleared of keys and tokens and speaks of logins and cards for other reasons.
    """

    rules: Mapping[str, Rule] = field(default_factory=lambda: dict(USUAL))
    secrets: bool = True

    def verdicts(
        self, text: str, *, requested: bool | None = None, work: bool = False, source: str = ""
    ) -> list[Verdict]:
        """Judge each clause of a text; of a refused one, each item that it lists.

        ``requested``: the user asked to remember it; None decides by the sentence itself. ``work``: the text
        is about a profession or a project, which may name an illness or money that are nobody's in
        particular: neither it nor ``source``, the words that it retells, names a person.
        """
        judged: list[Verdict] = []
        for sentence in sentences(text):
            whole = sentence.text
            kinds = self._named(whole)
            if not kinds and not self.secrets and told(whole) is None:
                judged.append(_verdict(sentence, None))
                continue
            wanted = asks(whole) if requested is None else requested
            judge = partial(
                self._reason,
                kinds=kinds,
                requested=wanted,
                work=_plain(f"{source} {whole}") if work else None,
            )
            verdicts = [verdict for one in clauses(text, sentence) for verdict in _judged(one, judge)]
            verdicts = _predicated(_together(verdicts, judge))
            judged += _unasked(verdicts) if whole.endswith("?") else verdicts
        return _together(judged, forbidden) if self.secrets else judged

    def cut(self, text: str, *, requested: bool | None = None, work: bool = False, source: str = "") -> str:
        """Return the text without the clauses that may not be kept; "" if none may."""
        return GAP.join(self.left(text, requested=requested, work=work, source=source))

    def left(
        self, text: str, *, requested: bool | None = None, work: bool = False, source: str = ""
    ) -> list[str]:
        """Return the parts of a text that may be kept, in their order, each with its subject."""
        judged = self.verdicts(text, requested=requested, work=work, source=source)
        if all(one.refused is None for one in judged):
            return [text]
        return list(filter(None, _runs(text, judged)))

    def refused(
        self, text: str, *, requested: bool | None = None, work: bool = False, source: str = ""
    ) -> str | None:
        """Return the reason why the text may not be kept whole; None if it may."""
        judged = self.verdicts(text, requested=requested, work=work, source=source)
        return next((one.refused for one in judged if one.refused is not None), None)

    def _named(self, sentence: str) -> list[str]:
        """Return the kinds that may be refused here: most sentences name none of their words."""
        lower, named = f" {_plain(sentence)}", _lists().named
        return [
            kind
            for kind, rule in self.rules.items()
            if rule != "always" and (kind not in named or named[kind].search(lower))
        ]

    def _reason(self, text: str, *, kinds: Sequence[str], requested: bool, work: str | None) -> str | None:
        """Return the reason why a text may not be kept; None if it may.

        ``work`` is a sentence about work and its source, in lower case; None for other sentences.
        """
        never = forbidden(text) if self.secrets else told(text)
        if never is not None:
            return never
        lower = _plain(text)
        for kind in kinds:
            rule = self.rules[kind]
            if rule == "requested" and requested:
                continue
            nobody = work is not None and _PERSON[kind].search(work) is None
            if not nobody and _sensitive(kind, lower, work=work is not None):
                return f"{kind}: not asked to remember" if rule == "requested" else kind
        return None


def _judged(clause: Clause, judge: Callable[[str], str | None]) -> list[Verdict]:
    """Return the verdict of a clause; of a refused one, those of the items that it lists.

    Items after a refused beginning hang on it, "diagnosed with Crohn's and rosacea", unless they are a safety
    or a thing that one has: "I've got gout and two kids". Items after another beginning are judged alone and
    behind what was kept before them.
    """
    whole, listed = judge(bare(clause.text)), items(clause)
    if not 1 < len(listed) <= _MOST_LISTED:
        return [_verdict(clause, whole)]
    alone = [judge(bare(one.text)) for one in listed]
    if whole is None and not any(alone):
        return [_verdict(clause, None)]
    hangs_on = alone[0] if whole is not None else None
    judged: list[Verdict] = []
    kept = ""
    for one, reason in zip(listed, alone, strict=True):
        if hangs_on is None:
            reason = reason or judge(bare(kept + one.text))
        elif not safety(bare(one.text)) and not (has(clause.text) and thing(one.text)):
            reason = reason or hangs_on
        kept += one.text if reason is None else ""
        judged.append(_verdict(one, reason))
    return judged


def _verdict(clause: Clause, refused: str | None) -> Verdict:
    return Verdict(clause.start, clause.end, clause.text, refused)


def safety(clause: str) -> bool:
    """Return True if a clause tells what somebody does not tolerate or must not be given: an allergy, say."""
    lower = _plain(clause)
    lists = _lists()
    return (
        lists.sensitive["allergies"].search(lower) is not None
        and lists.unlike["allergies"].search(lower) is None
    )


def asks(sentence: str) -> bool:
    """Return True if a sentence asks to remember what it says."""
    return _ASKING.search(sentence) is not None


def forbidden(text: str) -> str | None:
    """Return why the text may not be kept even by hand: a secret, payment data or a government id."""
    if _MARK in text or redact(text).counts:
        return "secret"
    text = _SPELLED.sub(_in_digits, text)
    if any(_is_card(match[0]) for match in _CARD.finditer(text)):
        return "payment"
    lower = _plain(text)
    match = (kind.replace("_", " ") for kind, pattern in _lists().never.items() if pattern.search(lower))
    return next(match, None) or told(text)


def told(text: str) -> str | None:
    """Return why the text may not be kept, as ``forbidden`` does, if it tells the value itself."""
    text = _SPELLED.sub(_in_digits, text)
    if not (_DIGIT.search(text) or _SECRET.search(text)):
        return None
    if any(_is_card(match[0]) and match[0][0] in "3456" for match in _CARD.finditer(text)) or any(
        _is_account(match[0]) for match in _IBAN.finditer(text)
    ):
        return "payment"
    lower = _plain(text)
    return next(
        (kind.replace("_", " ") for kind, pattern in _lists().told.items() if pattern.search(lower)), None
    )


def _in_digits(spelled: re.Match[str]) -> str:
    """Return spelled figures as digits: "four two one seven"."""
    return "".join(_FIGURES.get(name, "0") for name in re.findall(r"\w+", spelled[0].lower()))


def policy(setting: str, *, secrets: bool = True) -> Policy:
    """Return the policy of a setting, say "health=always, money=requested"; other kinds keep the usual rule.

    Raises:
        ConfigError: it names a kind or a rule that there is not.
    """
    return Policy(rules(setting), secrets)


@dataclass(frozen=True, slots=True)
class _Lists:
    """``named``: a sentence in which these are not found holds nothing of the kind."""

    never: Mapping[str, re.Pattern[str]]
    told: Mapping[str, re.Pattern[str]]
    sensitive: Mapping[str, re.Pattern[str]]
    apart: Mapping[str, re.Pattern[str]]
    unlike: Mapping[str, re.Pattern[str]]
    named: Mapping[str, re.Pattern[str]]


@cache
def _lists() -> _Lists:
    data: dict[str, Any] = tomllib.loads(_FILE.read_text("utf-8"))
    words: dict[str, str] = data["words"]

    def one_of(listed: Sequence[str]) -> re.Pattern[str]:
        filled = [re.sub(r"\{([a-z]+)\}", lambda match: words[match[1]], one) for one in listed]
        return re.compile("|".join(f"(?:{one})" for one in filled))

    return _Lists(
        never={kind: one_of(listed) for kind, listed in data["never"].items()},
        told={kind: one_of(listed) for kind, listed in data["told"].items()},
        sensitive={kind: one_of(listed) for kind, listed in data["sensitive"].items()},
        apart={kind: re.compile(one) for kind, one in data["apart"].items()},
        unlike={kind: one_of(listed) for kind, listed in data["unlike"].items()},
        named={kind: _beginning(listed.split()) for kind, listed in data["named"].items()},
    )


def _beginning(words: Sequence[str]) -> re.Pattern[str]:
    """Return a pattern for a word with one of these beginnings, or a sign; by first letter, for speed."""
    letters = groupby(sorted(words), key=lambda word: word[0])
    listed = "|".join(f"{first}(?:{'|'.join(word[1:] for word in group)})" for first, group in letters)
    return re.compile(rf"[^a-z](?:(?<=[$€£¥])|{listed})")


def _sensitive(kind: str, lower: str, *, work: bool) -> bool:
    lists = _lists()
    if kind == "allergies":
        return safety(lower)
    if lists.sensitive[kind].search(lower) is None:
        return False
    rest = lists.unlike[kind].sub(" … ", lists.sensitive["allergies"].sub(" … ", lower))
    if lists.sensitive[kind].search(rest) is None:
        return False
    return not (work and lists.apart[kind].search(rest))


def _together(judged: Sequence[Verdict], refuse: Callable[[str], str | None]) -> list[Verdict]:
    """Refuse all clauses if the rest together says what no clause says alone; else leave them as they are."""
    left = " ".join(bare(one.text) for one in judged if one.refused is None)
    why = refuse(left) if left and len(judged) > 1 else None
    return list(judged) if why is None else [replace(one, refused=one.refused or why) for one in judged]


def _predicated(judged: Sequence[Verdict]) -> list[Verdict]:
    """Refuse a subject with all that is said of it: "My husband and I have diabetes"."""
    begins = list(takewhile(lambda one: one.refused is None, judged))
    after = judged[len(begins) :]
    left = "".join(one.text for one in begins)
    if not after or not subject(left) or safety(left):
        return list(judged)
    then = next((bare(one.text) for one in after if one.refused is None), None)
    if then is not None and not starts_anew(then):
        return list(judged)
    return [*(replace(one, refused=after[0].refused) for one in begins), *after]


def _unasked(judged: Sequence[Verdict]) -> list[Verdict]:
    """Refuse every clause of a question if one is refused: what is left of it asks nothing."""
    why = next((one.refused for one in judged if one.refused is not None), None)
    return [replace(one, refused=one.refused or why) for one in judged]


def _runs(text: str, judged: Sequence[Verdict]) -> Iterator[str]:
    before = ""
    for refused, group in groupby(judged, key=lambda one: one.refused is not None):
        each = list(group)
        words = text[each[0].start : each[-1].end]
        if not refused:
            yield headed(words, before) if before else bare(words)
        before = [one.text for one in sentences(words)][-1] if refused and bare(words) else ""


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("’", "'").split())


def _is_account(digits: str) -> bool:
    """Return True for an IBAN: 15 signs or more, and the check digits fit (ISO 7064)."""
    signs = digits.replace(" ", "")
    turned = "".join(str(int(sign, 36)) for sign in signs[4:] + signs[:4])
    return len(signs) > 14 and int(turned) % 97 == 1


def _is_card(number: str) -> bool:
    """Return True for the digits of a card: 13 to 19 of them, and the check digit fits (Luhn)."""
    digits = [int(one) for one in number if one.isdigit()]
    doubled = [2 * one if at % 2 else one for at, one in enumerate(reversed(digits))]
    return 13 <= len(digits) <= 19 and sum(one - 9 if one > 9 else one for one in doubled) % 10 == 0
