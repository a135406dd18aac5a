"""What is never kept of people, whatever kind of memory keeps it: decided by code, before the write. Pure.

A text is judged by its clauses: what is refused of a sentence does not take the rest of it along.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import groupby
from pathlib import Path
from typing import Any, Final, Literal

from quipu.errors import ConfigError
from quipu.kernel.policy.clauses import Clause, bare, clauses
from quipu.kernel.redact import redact

Rule = Literal["never", "asked", "always"]
"""When something of a kind is kept: never, if the user asked to remember it, or always."""

USUAL: Final[Mapping[str, Rule]] = {"allergies": "always", "health": "asked", "money": "never"}
RULES: Final[tuple[Rule, ...]] = ("never", "asked", "always")

_FILE: Final = Path(__file__).with_name("policy.toml")
_CARD = re.compile(r"(?<![\d.])(?:\d[ -]?){12,18}\d(?![\d])")
_MARK: Final = "[redacted:"
GAP: Final = " … "
"""Where clauses are left out of a text."""

_PERSON = re.compile(r"\b(?:i|my|me|he|she|his|her|the user|the user's)\b")
_ASKING = re.compile(
    r"\b(?:remember|memori[sz]e|keep in mind|bear in mind|don['’]t forget|do not forget|never forget"
    r"|note that|take note|make a note)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the policy says of a clause.

    ``refused``: why it may not be kept, in a few words without what it says; None where it may.
    ``safety``: it tells what somebody does not tolerate or must not be given.
    """

    start: int
    end: int
    text: str
    refused: str | None
    safety: bool


@dataclass(frozen=True, slots=True)
class Policy:
    """``rules``: when each sensitive kind is kept. Secrets and ids of people and accounts never are.

    ``secrets``: these are looked for too; not where the record that is read was cleared of them.
    """

    rules: Mapping[str, Rule] = field(default_factory=lambda: dict(USUAL))
    secrets: bool = True

    def verdicts(self, text: str, *, asked: bool | None = None, work: bool = False) -> list[Verdict]:
        """Each clause of a text, judged.

        ``asked``: the user asked to remember it; None: where a sentence says so. ``work``: the text is about
        a profession or a project, which may name an illness or money that are nobody's in particular.
        """
        judged: list[Verdict] = []
        for _, group in groupby(clauses(text), key=lambda one: one.sentence):
            several = list(group)
            whole = text[several[0].start : several[-1].end]
            wanted = asks(whole) if asked is None else asked
            nobody = work and _PERSON.search(_plain(whole)) is None
            judge = partial(self._reason, asked=wanted, work=work, nobody=nobody)
            judged += _together([_verdict(one, judge(bare(one.text))) for one in several], judge)
        return _together(judged, forbidden) if self.secrets else judged

    def cut(self, text: str, *, asked: bool | None = None, work: bool = False) -> str:
        """The text without the clauses that may not be kept; "" where none may."""
        judged = self.verdicts(text, asked=asked, work=work)
        return text if all(one.refused is None for one in judged) else _left(text, judged)

    def refused(self, text: str, *, asked: bool | None = None, work: bool = False) -> str | None:
        """Why the text may not be kept whole; None where it may."""
        judged = self.verdicts(text, asked=asked, work=work)
        return next((one.refused for one in judged if one.refused is not None), None)

    def _reason(self, text: str, *, asked: bool, work: bool, nobody: bool) -> str | None:
        never = forbidden(text) if self.secrets else None
        if never is not None:
            return never
        lower = _plain(text)
        for kind, rule in self.rules.items():
            if rule == "always" or (rule == "asked" and asked):
                continue
            if not nobody and _sensitive(kind, lower, work=work):
                return f"{kind}: not asked to remember" if rule == "asked" else kind
        return None


def of_health(setting: str) -> Policy:
    """The rules of a setting on health alone, for kinds that read the record and keep more than people say
    of themselves: prices and accounts are what their conversations may be about."""
    return Policy({**policy(setting).rules, "money": "always"}, secrets=False)


def _verdict(clause: Clause, refused: str | None) -> Verdict:
    return Verdict(clause.start, clause.end, clause.text, refused, safety(clause.text))


def safety(clause: str) -> bool:
    """Whether a clause tells what somebody does not tolerate or must not be given: an allergy, say."""
    lower = _plain(clause)
    lists = _lists()
    return lists.sensitive["allergies"].search(lower) is not None and lists.unlike.search(lower) is None


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


def policy(setting: str) -> Policy:
    """The policy of a setting such as "health=always, money=asked"; what it does not name stays as usual.

    Raises:
        ConfigError: it names a kind or a rule that there is not.
    """
    rules: dict[str, Rule] = dict(USUAL)
    for part in filter(None, (one.strip() for one in setting.split(","))):
        kind, _, rule = (piece.strip() for piece in part.partition("="))
        chosen: Rule | None = next((one for one in RULES if one == rule), None)
        if kind not in USUAL or chosen is None:
            raise ConfigError(
                f"{part!r} is no rule of what is kept of people.",
                hint="For example 'health=never, money=asked'; the rules are never, asked, always.",
            )
        rules[kind] = chosen
    return Policy(rules)


@dataclass(frozen=True, slots=True)
class _Lists:
    never: Mapping[str, re.Pattern[str]]
    sensitive: Mapping[str, re.Pattern[str]]
    apart: Mapping[str, re.Pattern[str]]
    unlike: re.Pattern[str]


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
        unlike=one_of(data["unlike"]["allergies"]),
    )


def _sensitive(kind: str, lower: str, *, work: bool) -> bool:
    lists = _lists()
    if kind == "allergies":
        return safety(lower)
    rest = lists.sensitive["allergies"].sub(" … ", lower)
    if lists.sensitive[kind].search(rest) is None:
        return False
    return not (work and lists.apart[kind].search(rest))


def _together(judged: Sequence[Verdict], refuse: Callable[[str], str | None]) -> list[Verdict]:
    """The verdicts, all refused where what they leave says together what no clause of it says alone."""
    left = " ".join(bare(one.text) for one in judged if one.refused is None)
    why = refuse(left) if left and len(judged) > 1 else None
    return list(judged) if why is None else [replace(one, refused=one.refused or why) for one in judged]


def _left(text: str, judged: Sequence[Verdict]) -> str:
    runs: list[str] = []
    for refused, group in groupby(judged, key=lambda one: one.refused is not None):
        if not refused:
            each = list(group)
            runs.append(bare(text[each[0].start : each[-1].end]))
    return GAP.join(one for one in runs if one)


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("’", "'").split())


def _is_card(found: str) -> bool:
    """Whether the digits are a card's: 13 to 19 of them, and the check digit fits (Luhn)."""
    digits = [int(one) for one in found if one.isdigit()]
    doubled = [2 * one if at % 2 else one for at, one in enumerate(reversed(digits))]
    return 13 <= len(digits) <= 19 and sum(one - 9 if one > 9 else one for one in doubled) % 10 == 0
