"""Evaluation so far, and the memories as they would be after it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from quipu.kernel.policy.policy import Policy
from quipu.kernel.prose.sentences import SPEECH
from quipu.kinds.longterm.evaluation.claims import claim
from quipu.kinds.longterm.evaluation.known import Change, KnownMemory, known, of_claim
from quipu.kinds.longterm.evaluation.model import USUAL, Claim
from quipu.kinds.longterm.evaluation.safety import constraining
from quipu.kinds.longterm.evaluation.words import sentence
from quipu.kinds.longterm.model import (
    WORK,
    Category,
    Deletion,
    Edit,
    Evaluation,
    Importance,
    Inclusion,
    JudgedClaim,
    MemorySource,
    Verdict,
    weight,
)
from quipu.kinds.longterm.rules import SAID

_NEW = "+"
_CUT: Final = "(cut)"
_REFUSED: Final = "the policy keeps nothing of this"
_LONGEST_EXCERPT = 1_000

_BOUND: Final = "qx{}qx"
_KEPT = re.compile(
    r"""`[^`\n]{1,300}` | "[^"\n]{1,400}" | “[^”\n]{1,400}” | «[^»\n]{1,400}» | „[^“”"\n]{1,400}[“”"]
      | »[^«\n]{1,400}« | ‚[^‘’\n]{1,400}[‘’]
      | https?://[^\s<>)\]]{1,400} | """
    + SPEECH,
    re.VERBOSE,
)
_PLACE = re.compile(r"[Qq]x(\d+)qx")

# What follows the colon is somebody's text, or a text to be made: not what its author says of themselves.
_MADE = re.compile(
    r"""(?:^|(?<=[.!?\n]))[^.!?\n]{0,80}?\b
    (?:translat\w+ | proof-?read\w* | (?:fix|correct|improve|check|polish|edit)\b[^.:\n]{0,30}
       \b(?:grammar|spelling|style|wording|text|letter|cv|bio|email|sentences?|paragraph|translation)
     | re-?phrase | re-?word | re-?write | paraphrase | summari[sz]e | continue\ (?:this|the)\ (?:story|text)
     | (?:write|draft|compose|create|generate|make|finish)\b[^.:\n]{0,60}
     | (?:cover\ )?letter\ to\ (?:improve|check|fix) | the\ following | classify | analy[sz]e
     | (?:what|how)\b[^.:\n]{0,40}\b(?:mean|say|translate|sentence|text) )
    \b[^.:\n]{0,60}:\s""",
    re.VERBOSE | re.IGNORECASE,
)

_RHETORICAL = re.compile(r"\b([Mm]y (?:all-time )?fav(?:ou?rite)? [\w ]{2,30})\?(?= [A-Z0-9])")


@dataclass(frozen=True, slots=True)
class Bare:
    """A message whose quotations are words without meaning (``qx0qx``), and what each of them hides."""

    text: str
    hidden: tuple[str, ...]

    def shown(self, text: str) -> str:
        """Return a part of the text with its quotations restored."""
        return _PLACE.sub(lambda match: self.hidden[int(match[1])], text)


def bare(message: str) -> Bare:
    """Return the message up to a text that somebody else is to write, its quotations hidden."""
    made = _MADE.search(message)
    text = message[: made.end()] if made else message
    text = _RHETORICAL.sub(r"\1 is", text)
    hidden: list[str] = []

    def hide(match: re.Match[str]) -> str:
        hidden.append(match[0])
        return _BOUND.format(len(hidden) - 1)

    return Bare(_KEPT.sub(hide, _PLACE.sub("", text)), tuple(hidden))


class Outcome:
    """Inclusions, edits and deletions; a later turn may change what an earlier one asked for.

    A memory that is only known by its summary (id "?") is neither edited nor deleted. ``turn`` is where what
    comes next was said.
    """

    def __init__(self, existing: Sequence[KnownMemory], *, policy: Policy) -> None:
        self.turn = MemorySource(excerpt="")
        self._policy = policy
        self._live = list(existing)
        self._new: dict[str, Inclusion] = {}
        self._edits: dict[str, Edit] = {}
        self._deletions: dict[str, Deletion] = {}
        self._dropped = 0
        self._claims: list[JudgedClaim] = []
        self.words = ""
        """Clause that is judged, as it was said."""
        self.taken: list[KnownMemory] = []
        """Memories that the present turn asks to delete."""

    def begin(self, turn: MemorySource) -> None:
        """Begin a new turn as the source of what follows."""
        self.turn = turn
        self.taken = []

    def restore(self, one: KnownMemory) -> None:
        """Do not delete a memory after all."""
        self._deletions.pop(one.id, None)
        self.taken.remove(one)
        self._live.append(one)

    def live(self) -> list[KnownMemory]:
        """Return the memories as they would be, oldest first."""
        return self._live

    def drop(self) -> None:
        """Count something that was asked for and could not be done."""
        self._dropped += 1

    @property
    def noted(self) -> int:
        """The number of clauses and claims that were judged."""
        return len(self._claims)

    def claimed_since(self, noted: int) -> bool:
        """Return True if a claim was judged, whatever became of it, since so many were noted."""
        return any(one.rule is not None or one.statement is not None for one in self._claims[noted:])

    def judge(
        self,
        verdict: Verdict,
        reason: str,
        claim: Claim | None = None,
        *,
        as_: str | None = None,
        requested: bool = False,
    ) -> None:
        """Note what becomes of the clause at hand, and of its claim; ``as_`` is how it is kept."""
        first = claim.told[0] if claim is not None and claim.told else None
        work = claim is not None and claim.category in WORK
        allowed = partial(self._policy.cut, requested=requested or None, work=work)
        summary = as_ or (claim.summary if claim else None)
        is_whole = summary is None or allowed(summary) == summary
        self._claims.append(
            JudgedClaim(
                words=allowed(self.words) or _CUT,
                verdict=verdict,
                reason=allowed(reason),
                statement=summary if is_whole else None,
                rule=claim.family if claim else None,
                slot=first.slot if first and is_whole else None,
                value=first.value if first and is_whole else None,
            )
        )

    def include(self, new: Claim, *, excerpt: str, hidden: Bare, requested: bool) -> None:
        """Ask for a new memory, unless the policy refuses it."""
        if new.quiet:
            self.judge("passed over", "it only helps to understand what is said of it", new)
            return
        shown = self._allowed(new, hidden.shown(self._dated(new, new.summary)), requested=requested)
        said = self._said(hidden.shown(excerpt), new.category, requested=requested)
        if shown is None or said is None:
            self.judge("left out", _REFUSED, new)
            self._dropped += 1
            return
        self.judge("kept", "asked to remember" if requested else "", shown, requested=requested)
        id_ = f"{_NEW}{len(self._new)}"
        self._new[id_] = Inclusion(
            category=shown.category,
            importance=shown.importance,
            summary=shown.summary,
            reason="asked to remember" if requested else f"{SAID}{new.family}",
            sources=(said,),
            requested=requested,
        )
        self._live.append(replace(of_claim(shown, importance=shown.importance), id=id_))

    def keep(self, told: str, category: Category, *, excerpt: str, hidden: Bare, stressed: bool) -> None:
        """Ask for a memory of what the user asked to remember, whatever it is."""
        importance: Importance = "high" if stressed else max(USUAL[category], "medium", key=weight)
        new = Claim(category, importance, sentence(told), (), "asked")
        if not any(one.words >= of_claim(new, importance=importance).words for one in self._live):
            self.include(new, excerpt=excerpt, hidden=hidden, requested=True)

    def change(self, decided: Change, new: Claim, *, excerpt: str, hidden: Bare, requested: bool) -> None:
        """Ask for a memory to say something else."""
        one = decided.memory
        if one.id == "?":
            self.include(
                replace(new, summary=decided.summary), excerpt=excerpt, hidden=hidden, requested=requested
            )
            return
        shown = self._allowed(new, hidden.shown(self._dated(new, decided.summary)), requested=requested)
        said = self._said(hidden.shown(excerpt), new.category, requested=requested)
        if shown is None or said is None:
            self.judge("left out", _REFUSED, new)
            self._dropped += 1
            return
        self.judge("changed", f"{decided.reason}: {one.summary}", shown, requested=requested)
        importance = max(one.importance, new.importance, key=weight) if requested else one.importance
        if one.id in self._new:
            before = self._new[one.id]
            self._new[one.id] = replace(
                before, summary=shown.summary, category=shown.category, importance=importance,
                sources=(*before.sources, said), requested=before.requested or requested,
            )  # fmt: skip
        else:
            self._edits[one.id] = Edit(
                id=one.id, summary=shown.summary, reason=decided.reason, sources=(said,), requested=requested,
                importance=importance if importance != one.importance else None,
                expected_version=one.version,
            )  # fmt: skip
            self._deletions.pop(one.id, None)
        self._replace(one, shown.summary, importance)

    def confirm(self, one: KnownMemory, new: Claim, *, excerpt: str, requested: bool) -> None:
        """Note that a known memory was said again: it matters more if the user asked to remember it."""
        self.judge("known", one.summary, new, requested=requested)
        if not requested or weight(new.importance) <= weight(one.importance) or one.id == "?":
            return
        if one.id in self._new:
            self._new[one.id] = replace(self._new[one.id], importance=new.importance, requested=True)
        else:
            said = self._said(excerpt, new.category, requested=True)
            if said is None:
                self._dropped += 1
                return
            before = self._edits.get(one.id)
            self._edits[one.id] = (
                replace(before, importance=new.importance)
                if before
                else Edit(id=one.id, importance=new.importance, reason="asked to remember", sources=(said,),
                          requested=True, expected_version=one.version)
            )  # fmt: skip
        self._replace(one, one.summary, new.importance)

    def delete(self, one: KnownMemory, reason: str, *, excerpt: str) -> None:
        """Ask for a memory to be archived; one that was only asked for is not."""
        if one.id == "?":
            self.drop()
            return
        self.judge("ended", reason, as_=one.summary)
        self._live.remove(one)
        if one.id in self._new:
            del self._new[one.id]
            self._new[f"{one.id} gone"] = _GONE
            return
        self.taken.append(one)
        self._edits.pop(one.id, None)
        said = replace(self.turn, excerpt=excerpt[:_LONGEST_EXCERPT])
        self._deletions[one.id] = Deletion(
            id=one.id, reason=reason, sources=(said,), expected_version=one.version
        )

    def evaluation(self, evaluator: str) -> Evaluation:
        """Return the whole evaluation."""
        return Evaluation(
            inclusions=tuple(one for one in self._new.values() if one is not _GONE),
            edits=tuple(self._edits.values()),
            deletions=tuple(self._deletions.values()),
            evaluator=evaluator,
            dropped=self._dropped,
            claims=tuple(self._claims),
        )

    def _dated(self, new: Claim, summary: str) -> str:
        """Return an age with the month in which it was told: "Ida is 7 years old (May 2025)."."""
        at = self.turn.happened_at
        is_age = bool(new.told) and new.told[0].slot.rpartition("/")[2] == "age"
        if at is None or not is_age or not summary.endswith("years old."):
            return summary
        return f"{summary.rstrip('.')} ({at:%B %Y})."

    def _allowed(self, new: Claim, summary: str, *, requested: bool) -> Claim | None:
        """Return the claim without clauses that the policy refuses; None if it lies in these.

        If its value is cut, the rest is read anew: "allergic to nuts and diabetic".
        """
        kept = self._policy.cut(summary, requested=requested, work=new.category in WORK)
        if kept == summary:
            return replace(new, summary=summary)
        value = new.told[0].value.lower() if new.told else ""
        if kept and (value not in summary.lower() or value in kept.lower()):
            return replace(new, summary=sentence(kept))
        again = claim(kept.rstrip(" .!?"), order=False) if kept else None
        left = None if again is None else constraining(again)
        return None if left is None else replace(left, importance=new.importance, summary=sentence(kept))

    def _said(self, excerpt: str, category: Category, *, requested: bool) -> MemorySource | None:
        """Return the source without clauses that the policy refuses; None if nothing is left."""
        kept = self._policy.cut(excerpt, requested=requested, work=category in WORK)
        return replace(self.turn, excerpt=kept[:_LONGEST_EXCERPT]) if kept else None

    def _replace(self, one: KnownMemory, summary: str, importance: Importance) -> None:
        at = self._live.index(one)
        self._live[at] = known(
            id=one.id, category=one.category, importance=importance, summary=summary, version=one.version
        )


_GONE = Inclusion(category="context", importance="low", summary="gone")
