"""What is never kept of people, whatever kind of memory keeps it: decided by code, before the write. Pure.

A text is judged by its clauses, and a clause that is refused by the things it lists: what is refused of a
sentence does not take the rest of it along.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from quipu.kernel.policy.clauses import Clause, bare, clauses, items
from quipu.kernel.policy.setting import USUAL, Rule, rules
from quipu.kernel.redact import redact

_FILE: Final = Path(__file__).with_name("policy.toml")
_CARD = re.compile(r"(?<![\d.])(?:\d[ -]?){12,18}\d(?![\d])")
_MARK: Final = "[redacted:"
GAP: Final = " … "
"""Where clauses are left out of a text."""

_MOST_LISTED: Final = 20
"""What lists more is no sentence: it is judged as a whole."""

_ONE: Final = "i|my|me|he|she|his|her|the user|the user's"
_PERSON: Final = {
    "allergies": re.compile(rf"\b(?:{_ONE}|we|our|us)\b"),
    "health": re.compile(rf"\b(?:{_ONE}|we|our|us)\b"),
    "money": re.compile(rf"\b(?:{_ONE})\b"),  # "we" pay for a project
}
"""By whom a text about work is about somebody, by kind."""

_ASKING = re.compile(
    r"\b(?:remember|remind (?:me|us)|memori[sz]e|keep in mind|bear in mind|don['’]t forget|do not forget"
    r"|never forget|note that|take note|make a note)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the policy says of a clause.

    ``refused``: why it may not be kept, in a few words without what it says; None where it may.
    """

    start: int
    end: int
    text: str
    refused: str | None


@dataclass(frozen=True, slots=True)
class Policy:
    """``rules``: when each sensitive kind is kept. Secrets and ids of people and accounts never are.

    ``secrets``: these are looked for too; not by kinds that read the record, which was cleared of them.
    """

    rules: Mapping[str, Rule] = field(default_factory=lambda: dict(USUAL))
    secrets: bool = True

    def verdicts(
        self, text: str, *, asked: bool | None = None, work: bool = False, source: str = ""
    ) -> list[Verdict]:
        """Each clause of a text, judged; of one that is refused, each thing that it lists.

        ``asked``: the user asked to remember it; None: where a sentence says so. ``work``: the text is about
        a profession or a project, which may name an illness or money that are nobody's in particular: neither
        it nor ``source``, the words that it retells, names a person.
        """
        judged: list[Verdict] = []
        for _, group in groupby(clauses(text), key=lambda one: one.sentence):
            several = list(group)
            whole = text[several[0].start : several[-1].end]
            wanted = asks(whole) if asked is None else asked
            judge = partial(self._reason, asked=wanted, work=_plain(f"{source} {whole}") if work else None)
            found = _together([said for one in several for said in _judged(one, judge)], judge)
            judged += _unasked(found) if whole.endswith("?") else found
        return _together(judged, forbidden) if self.secrets else judged

    def cut(self, text: str, *, asked: bool | None = None, work: bool = False, source: str = "") -> str:
        """The text without the clauses that may not be kept; "" where none may."""
        return GAP.join(self.left(text, asked=asked, work=work, source=source))

    def left(
        self, text: str, *, asked: bool | None = None, work: bool = False, source: str = ""
    ) -> list[str]:
        """What of a text may be kept, each run of it as it stands there; the text itself where all may."""
        judged = self.verdicts(text, asked=asked, work=work, source=source)
        if all(one.refused is None for one in judged):
            return [text]
        return list(filter(None, _runs(text, judged)))

    def refused(
        self, text: str, *, asked: bool | None = None, work: bool = False, source: str = ""
    ) -> str | None:
        """Why the text may not be kept whole; None where it may."""
        judged = self.verdicts(text, asked=asked, work=work, source=source)
        return next((one.refused for one in judged if one.refused is not None), None)

    def _reason(self, text: str, *, asked: bool, work: str | None) -> str | None:
        """``work``: the sentence that is about work and what it is from, in lower case; None for others."""
        never = forbidden(text) if self.secrets else None
        if never is not None:
            return never
        lower = _plain(text)
        for kind, rule in self.rules.items():
            if rule == "always" or (rule == "asked" and asked):
                continue
            nobody = work is not None and _PERSON[kind].search(work) is None
            if not nobody and _sensitive(kind, lower, work=work is not None):
                return f"{kind}: not asked to remember" if rule == "asked" else kind
        return None


def _judged(clause: Clause, judge: Callable[[str], str | None]) -> list[Verdict]:
    """The verdict of a clause; of one that is refused, those of the things that it lists.

    What follows a beginning that is refused hangs on it, unless it is a safety: "diagnosed with Crohn's and
    rosacea". What follows another is judged by itself and behind what was kept before it.
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
        elif not safety(bare(one.text)):
            reason = reason or hangs_on
        kept += one.text if reason is None else ""
        judged.append(_verdict(one, reason))
    return judged


def _verdict(clause: Clause, refused: str | None) -> Verdict:
    return Verdict(clause.start, clause.end, clause.text, refused)


def safety(clause: str) -> bool:
    """Whether a clause tells what somebody does not tolerate or must not be given: an allergy, say."""
    lower = _plain(clause)
    lists = _lists()
    return (
        lists.sensitive["allergies"].search(lower) is not None
        and lists.unlike["allergies"].search(lower) is None
    )


def asks(sentence: str) -> bool:
    """Whether a sentence asks to remember what it says."""
    return _ASKING.search(sentence) is not None


def forbidden(text: str) -> str | None:
    """Why the text may not be kept even by hand: a secret, a credential, payment data or a government id."""
    if _MARK in text or redact(text).counts:
        return "secret"
    if any(_is_card(found[0]) for found in _CARD.finditer(text)):
        return "payment"
    lower = _plain(text)
    return next(
        (kind.replace("_", " ") for kind, pattern in _lists().never.items() if pattern.search(lower)), None
    )


def policy(setting: str, *, secrets: bool = True) -> Policy:
    """The policy of a setting such as "health=always, money=asked"; what it does not name stays as usual.

    Raises:
        ConfigError: it names a kind or a rule that there is not.
    """
    return Policy(rules(setting), secrets)


@dataclass(frozen=True, slots=True)
class _Lists:
    never: Mapping[str, re.Pattern[str]]
    sensitive: Mapping[str, re.Pattern[str]]
    apart: Mapping[str, re.Pattern[str]]
    unlike: Mapping[str, re.Pattern[str]]


@cache
def _lists() -> _Lists:
    data: dict[str, Any] = tomllib.loads(_FILE.read_text("utf-8"))
    words: dict[str, str] = data["words"]

    def one_of(listed: Sequence[str]) -> re.Pattern[str]:
        filled = [re.sub(r"\{([a-z]+)\}", lambda match: words[match[1]], one) for one in listed]
        return re.compile("|".join(f"(?:{one})" for one in filled))

    return _Lists(
        never={kind: one_of(listed) for kind, listed in data["never"].items()},
        sensitive={kind: one_of(listed) for kind, listed in data["sensitive"].items()},
        apart={kind: re.compile(one) for kind, one in data["apart"].items()},
        unlike={kind: one_of(listed) for kind, listed in data["unlike"].items()},
    )


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
    """The verdicts, all refused where what they leave says together what no clause of it says alone."""
    left = " ".join(bare(one.text) for one in judged if one.refused is None)
    why = refuse(left) if left and len(judged) > 1 else None
    return list(judged) if why is None else [replace(one, refused=one.refused or why) for one in judged]


def _unasked(judged: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts of a question, all refused where one is: what is left of it asks nothing."""
    why = next((one.refused for one in judged if one.refused is not None), None)
    return [replace(one, refused=one.refused or why) for one in judged]


def _runs(text: str, judged: Sequence[Verdict]) -> Iterator[str]:
    for refused, group in groupby(judged, key=lambda one: one.refused is not None):
        if not refused:
            each = list(group)
            yield bare(text[each[0].start : each[-1].end])


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("’", "'").split())


def _is_card(found: str) -> bool:
    """Whether the digits are a card's: 13 to 19 of them, and the check digit fits (Luhn)."""
    digits = [int(one) for one in found if one.isdigit()]
    doubled = [2 * one if at % 2 else one for at, one in enumerate(reversed(digits))]
    return 13 <= len(digits) <= 19 and sum(one - 9 if one > 9 else one for one in doubled) % 10 == 0
