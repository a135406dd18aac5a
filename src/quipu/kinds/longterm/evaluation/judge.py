"""Decisions on an agent's claims: by the gate, the policy, and what is known of the person. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final

from quipu.kernel.base.text import excerpt
from quipu.kernel.policy.policy import Policy, asks, safety
from quipu.kernel.prose.content import content
from quipu.kernel.prose.gate import ORDERS, refusal
from quipu.kernel.prose.verbs import finite
from quipu.kinds.longterm.arguments import LONGEST_EXCERPT
from quipu.kinds.longterm.evaluation import alike, changes, claims
from quipu.kinds.longterm.evaluation import known as memories
from quipu.kinds.longterm.evaluation.agent import EVALUATOR, VERSION, AgentClaim, HeardClaim
from quipu.kinds.longterm.evaluation.alike import Vectors
from quipu.kinds.longterm.evaluation.known import Change, KnownMemory, Same, known
from quipu.kinds.longterm.evaluation.model import USUAL, Claim, Statement
from quipu.kinds.longterm.evaluation.people import first_names
from quipu.kinds.longterm.evaluation.turns import RecordedTurn
from quipu.kinds.longterm.evaluation.words import sentence, spelled, third
from quipu.kinds.longterm.model import (
    WORK,
    Deletion,
    Edit,
    Evaluation,
    Importance,
    Inclusion,
    MemorySource,
    weight,
)

_FLIPPED: Final = ("likes:", "able:", "consumes:")  # a denial of these is a memory itself
_TWO: Final = re.compile(r"(?P<one>.+?),? (?:and|but) (?P<other>[a-z]+ .+)")
_ORDER: Final = "the user wants the assistant "
_CANNOT: Final = re.compile(r"\bcan't\b")
_NO_LONGER: Final = re.compile(r"(?i)\b(?:no longer|any ?more)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """Decision on a claim: changes to be made, or why there are none.

    ``same`` is a memory that says so already; ``evaluation`` then asks for that memory once more.
    """

    evaluation: Evaluation = field(default_factory=Evaluation)
    same: KnownMemory | None = None
    left_out: str = ""


class Judge:
    """Decides on claims about one person by the gate, the policy and what is known of them."""

    def __init__(self, policy: Policy, *, user: str | None, meanings: Vectors) -> None:
        self._policy = policy
        self._own = frozenset(re.split(r"[\W_]+", (user or "").casefold())) - {""}
        self._meanings = meanings

    def decide(self, heard: HeardClaim, live: Sequence[KnownMemory], said: Mapping[str, datetime]) -> Decided:
        """Decide on a claim; ``said`` is when each live memory was said as it reads now."""
        given, turn = heard.claim, heard.turn
        summary = self.summary(given.statement)
        requested = asks(turn.content) or asks(given.words)
        new = self._claim(given, summary, requested=requested)
        reason = self._refusal(new, summary, heard, live)
        if reason is not None:
            return Decided(left_out=reason)
        cut = partial(self._policy.cut, requested=requested, work=given.category in WORK, source=given.words)
        kept, words = cut(summary), cut(given.words)
        if kept != summary:
            new = self._claim(given, sentence(kept), requested=requested)
            kept = "" if self._refusal(new, new.summary, heard, live) else kept
        if not kept or not words:
            why = partial(self._policy.refused, requested=requested, work=given.category in WORK)
            return Decided(left_out=f"it must not be kept: {why(summary) or why(given.words)}")
        one = known(id="", category=new.category, importance=new.importance, summary=new.summary)
        if not alike.bears(given.words, turn.content, one, self._meanings):
            return Decided(left_out="the words have nothing to do with it")
        decided = self._against(new, one, _source(turn, words), live, requested=requested)
        return self._unless_newer(decided, turn, said)

    def summary(self, statement: str) -> str:
        """Return a statement as it is kept: in the third person, the user's own name replaced."""
        clause = _CANNOT.sub("cannot", third(spelled(statement)))
        first, _, rest = clause.partition(" ")
        if first.casefold().removesuffix("'s") in self._own:
            clause = f"the user{first[-2:] if first.endswith(chr(39) + 's') else ''} {rest}"
        return sentence(clause)

    def _claim(self, given: AgentClaim, summary: str, *, requested: bool) -> Claim:
        """Return the statement as a claim: as the grammar reads it, else by its words alone."""
        told = known(id="", category=given.category, importance="low", summary=summary)
        own = claims.claim(told.clause, order=False)
        words = " ".join(sorted(content(summary)))
        says = (Statement(f"says:{words}", summary, single=False, denied=told.denies),)
        importance = given.importance or (own.importance if own else USUAL[given.category])
        harms = safety(summary)
        new = Claim(
            "constraint" if harms else given.category,
            "high" if harms else importance,
            summary,
            told.told or says,
            own.family if own else "told by the agent",
            ends=own.ends if own else (),
        )
        return claims.with_importance(new, claims.important(new, requested=requested, stressed=False))

    def _refusal(
        self, new: Claim, summary: str, heard: HeardClaim, live: Sequence[KnownMemory]
    ) -> str | None:
        if heard.claim.statement.rstrip("\"'”) ").endswith("?"):
            return "it is a question"
        family = ORDERS if summary.lower().startswith(_ORDER) else new.family
        reason = refusal(summary, category=new.category, family=family, said=heard.claim.words)
        return reason or _of_nobody(summary, heard.turn, live) or _of_two(summary)

    def _against(
        self,
        new: Claim,
        one: KnownMemory,
        source: MemorySource,
        live: Sequence[KnownMemory],
        *,
        requested: bool,
    ) -> Decided:
        gone = _taken_back(new.summary, live)
        if gone is not None:
            if not gone:
                return Decided(left_out="it takes back what is not known")
            return _evaluated(deletions=[_deletion(one, "no longer so", source) for one in gone])
        own = claims.claim(one.clause, order=False)
        decision = memories.decide(new if own is None else replace(new, summary=own.summary), live)
        if isinstance(decision, Same) and alike.tells_more(one, decision.memory):
            decision = None
        if isinstance(decision, Change) and own is not None and decision.summary == own.summary:
            decision = replace(decision, summary=new.summary)
        if decision is None:
            said_so = alike.same(one, live, self._meanings)
            decision = None if said_so is None else Same(said_so)
        over = [
            _deletion(other, "no longer so", source)
            for other in live
            if new.ends and any(told.slot.startswith(new.ends) for told in other.told)
        ]
        if isinstance(decision, Same):
            again = _inclusion(decision.memory, new.importance, source, requested=requested)
            return replace(_evaluated(inclusions=[again], deletions=over), same=decision.memory)
        if decision is None:
            return _evaluated(
                inclusions=[_inclusion(new, new.importance, source, requested=requested)], deletions=over
            )
        edit = Edit(
            id=decision.memory.id,
            summary=decision.summary,
            importance=max(decision.memory.importance, new.importance, key=weight),
            reason=decision.reason,
            sources=(source,),
            expected_version=decision.memory.version,
            requested=requested,
        )
        return _evaluated(edits=[edit], deletions=[one for one in over if one.id != edit.id])

    def _unless_newer(self, decided: Decided, turn: RecordedTurn, said: Mapping[str, datetime]) -> Decided:
        """Return the decision unless it would change what was said later than the words of the claim."""
        changed = [one.id for one in (*decided.evaluation.edits, *decided.evaluation.deletions)]
        if any(said[one] > turn.happened_at for one in changed if one in said):
            return Decided(left_out="something that was said later is known")
        return decided


def _of_nobody(summary: str, turn: RecordedTurn, live: Sequence[KnownMemory]) -> str | None:
    """Return why a statement is about nobody known: neither the user nor somebody named where it was said."""
    first, _, rest = summary.partition(" ")
    name = first.removesuffix("'s").rstrip(",")
    if "the user" in summary.lower():
        subject = name.istitle() and (name.lower() in first_names() and rest.split(" ", 1)[0] in finite())
        if not subject:
            return None
    texts = (turn.content, turn.speaker or "", *(one.summary for one in live))
    there = any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for text in texts)
    return None if there else "nobody is named of whom it speaks: the user, or somebody in the words"


def _of_two(summary: str) -> str | None:
    """Return why a statement tells two things that would change apart; None if it tells one."""
    match = _TWO.fullmatch(third(summary).rstrip(".").replace("The user", "the user", 1))
    if match is None or not match["one"].startswith("the user "):
        return None
    verb = match["other"].split(" ", 1)[0]
    both = (claims.claim(match["one"], order=False), claims.claim(f"the user {match['other']}", order=False))
    if verb not in finite() or None in both:
        return None
    return "it tells two things: make a claim of each"


def _taken_back(summary: str, live: Sequence[KnownMemory]) -> list[KnownMemory] | None:
    """Return the memories that a denial takes back; None if it is no denial, or stands for itself."""
    clause = known(id="", category="context", importance="low", summary=summary).clause
    gone = changes.taken_back(clause)
    if gone is not None and not gone.statement:
        meant = memories.about(gone.topic, live, categories=gone.categories, everything=False)
        return meant or ([] if gone.final and claims.claim(clause) is None else None)
    opposite = gone.topic if gone is not None else changes.positive(clause)
    claim = None if opposite is None else claims.claim(third(opposite), order=False)
    if claim is None or claim.told[0].slot.startswith(_FLIPPED):
        return None
    untrue = [one for one in memories.telling(claim.told[0], live) if not one.denies]
    return untrue or ([] if _NO_LONGER.search(clause) else None)


def _inclusion(
    one: Claim | KnownMemory, importance: Importance, source: MemorySource, *, requested: bool
) -> Inclusion:
    return Inclusion(
        category=one.category,
        importance=importance,
        summary=one.summary,
        reason="asked to remember" if requested else "told by the agent",
        sources=(source,),
        requested=requested,
    )


def _deletion(one: KnownMemory, reason: str, source: MemorySource) -> Deletion:
    return Deletion(id=one.id, reason=reason, sources=(source,), expected_version=one.version)


def _evaluated(
    *,
    inclusions: Collection[Inclusion] = (),
    edits: Collection[Edit] = (),
    deletions: Collection[Deletion] = (),
) -> Decided:
    return Decided(
        evaluation=Evaluation(
            inclusions=tuple(inclusions),
            edits=tuple(edits),
            deletions=tuple(deletions),
            evaluator=f"{EVALUATOR}:{VERSION}",
        )
    )


def _source(turn: RecordedTurn, words: str) -> MemorySource:
    return MemorySource(
        excerpt=excerpt(words, LONGEST_EXCERPT),
        message=turn.external_id,
        session=turn.session,
        happened_at=turn.happened_at,
        number=turn.id,
    )
