"""A turn of a conversation read sentence by sentence, and what it asks of the memories so far."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from quipu.kernel.policy.policy import safety
from quipu.kernel.prose.content import content
from quipu.kernel.prose.gate import ALONE, refusal
from quipu.kernel.prose.sentences import sentences
from quipu.kinds.longterm.evaluation import answers, changes, claims, known, moods, requests
from quipu.kinds.longterm.evaluation.alone import in_third, lasts, told_alone
from quipu.kinds.longterm.evaluation.foreign import Tongue, tongue_of
from quipu.kinds.longterm.evaluation.grammar import grammar
from quipu.kinds.longterm.evaluation.known import Change, KnownMemory, Same
from quipu.kinds.longterm.evaluation.model import USUAL, Claim, Statement
from quipu.kinds.longterm.evaluation.outcome import Bare, Outcome
from quipu.kinds.longterm.evaluation.people import capitalised, given, resolved
from quipu.kinds.longterm.evaluation.safety import constraining, points_back, unsafe
from quipu.kinds.longterm.evaluation.thoughts import apart, thoughts
from quipu.kinds.longterm.evaluation.words import clauses, sentence, spelled, third, trimmed
from quipu.kinds.longterm.model import CATEGORIES, Category

_WHOLE: Final = ("not called so", "what a word means", "a favourite, the other way round")
"""Families whose sayings reach over several clauses."""

_OWN: Final = re.compile(r"(?<![\w'])(?:I|[Mm]y|[Ww]e|[Oo]ur|[Mm]e|[Uu]s)(?![\w-])")
_ASKS: Final = "a question"
_NOTHING: Final = "nothing in it that lasts"


def _as_told(told: str, category: Category, family: str) -> Claim:
    """Return the claim of a sentence that is kept as it stands in the third person."""
    words = " ".join(sorted(content(told)))
    stated = Statement(f"says:{words}", told, False)
    return Claim(category, USUAL[category], sentence(told), (stated,), family)


class JudgedTurn:
    """One turn of the user, sentence by sentence."""

    def __init__(
        self,
        outcome: Outcome,
        hidden: Bare,
        heard: str,
        meanings: Mapping[str, Category],
        learned: frozenset[str],
        speaker: str | None,
    ) -> None:
        self._learned = learned
        self._speaker = speaker
        self.undecided: dict[str, bool] = {}
        self._meanings = meanings
        self._outcome = outcome
        self._hidden = hidden
        self._heard = heard
        self._told: list[str] = []
        self._answer = self._answered()

    def read(self) -> None:
        """Judge the turn, sentence by sentence."""
        tongue = tongue_of(self._hidden.text)
        if tongue is not None:
            self._foreign(tongue)
            return
        said = [one.text for one in sentences(self._hidden.text)]
        if self._answer is not None:
            self._answering(self._answer)
            if not self._answer.rest:
                return
            said = [one.text for one in sentences(self._answer.rest)]
        is_alone = self._speaker is None and self._answer is None and told_alone(self._hidden.text, said)
        for at, text in enumerate(said):
            following = said[at + 1] if at + 1 < len(said) else ""
            noted = self._outcome.noted
            self._sentence(text, requested=requests.asks_back(spelled(following)))
            if is_alone and not self._outcome.claimed_since(noted):
                self._alone(text)

    def _alone(self, text: str) -> None:
        """Keep a sentence of a message that only tells something, as it is."""
        plain = capitalised(spelled(text)).rstrip()
        told = in_third(plain)
        if not lasts(plain, told) or moods.is_order(plain) or changes.taken_back(told) is not None:
            return
        if grammar().guarded((*moods.QUIET, "this", "moment"), plain):
            return
        self._outcome.words = self._hidden.shown(text)
        self.undecided[plain] = True
        category = self._meanings.get(plain, "context")
        self._claimed(_as_told(told, category, ALONE), text, requested=False, text=plain)

    def _foreign(self, tongue: Tongue) -> None:
        for one in sentences(self._hidden.text):
            self._outcome.words = self._hidden.shown(one.text)
            noted = self._outcome.noted
            for said in tongue.read(one.text):
                if isinstance(said, Claim):
                    self._claimed(said, one.text, requested=False, text=one.text)
                else:
                    self._gone(said, one.text)
            if self._outcome.noted == noted:
                self._pass(_NOTHING)

    def _answered(self) -> answers.Answer | None:
        question = answers.asked(self._heard)
        return None if question is None else answers.answered(question, self._hidden.text)

    def _answering(self, answer: answers.Answer) -> None:
        told = third(spelled(answer.statement))
        excerpt = self._hidden.text
        self._outcome.words = self._hidden.shown(excerpt)
        claim = claims.claim(told, order=False)
        if answer.denied:
            self._take_back(claim, excerpt)
        elif claim is not None and not grammar().guarded(moods.QUIET, answer.statement):
            self._claimed(claim, excerpt, requested=False, text=answer.statement)

    def _sentence(self, text: str, *, requested: bool) -> None:
        plain = capitalised(spelled(text))
        lead = trimmed(plain)
        self._outcome.words = self._hidden.shown(text)
        if requests.asks_back(plain):
            self._pass("it asks what is remembered")
            return
        if self._speaker is not None:
            if not grammar().guarded(moods.PLAYFUL, plain):
                self._clauses(plain, text, requested=False, stressed=claims.stressed(plain), old=None)
            return
        forgetting = requests.forgetting(plain) or requests.forgetting(lead)
        if forgetting is not None:
            self._forget(forgetting, text)
            return
        remembering = requests.remembering(plain) or requests.remembering(lead)
        if remembering is None and grammar().guarded(moods.PLAYFUL, plain):
            self._pass(moods.quiet(plain))
            return
        self._statement(
            remembering or plain,
            text,
            requested=requested or remembering is not None,
            stressed=claims.stressed(plain),
        )

    def _statement(self, plain: str, excerpt: str, *, requested: bool, stressed: bool) -> None:
        lead = trimmed(plain)
        if changes.points_back(lead) or changes.points_back(plain):
            self._disown(excerpt)
        right, rest = changes.put_right(lead, third(lead))
        found_any = self._clauses(
            rest, excerpt, requested=requested, stressed=stressed, old=right.old if right else None
        )
        if right is not None and not found_any:
            self._put_right(right, excerpt, rest)
        meant = changes.meant(plain) or changes.meant(lead)
        if meant is not None:
            self._meant(meant, excerpt)
        if requested and not found_any:
            category = self._meanings.get(lead, "context")
            self.undecided[lead] = True
            if refusal(sentence(third(lead)), category=category, family="asked", said=lead) is None:
                self._outcome.keep(
                    third(lead), category, excerpt=excerpt, hidden=self._hidden, stressed=stressed
                )

    def _clauses(self, text: str, excerpt: str, *, requested: bool, stressed: bool, old: str | None) -> bool:
        """Judge the clauses of a sentence; whether one of them claimed, or took back, something."""
        parts = [one for part in clauses(apart(text, self._learned)) for one in thoughts(part, self._learned)]
        questioned = (
            not text.lower().startswith("is it ")
            and grammar().guarded(("question",), text.rstrip())
            and not requested
        )
        gone = changes.taken_back(third(trimmed(text))) if self._speaker is None else None
        if gone is not None and gone.parted and self._gone(gone, excerpt):
            return True
        is_quiet = not requested and grammar().guarded(moods.QUIET, text)
        whole = None if is_quiet else claims.claim(third(trimmed(text)))
        if whole is not None and whole.family in _WHOLE:
            return self._claimed(whole, excerpt, requested=requested, text=text, old=old)
        own = _OWN.search(text) is not None
        found_any = skipped = False
        for at, clause in enumerate(parts):
            self._outcome.words = self._hidden.shown(clause)
            told = resolved(third(clause), self._told, self._learned)
            if (
                clause.startswith("I ")
                and not own
                and at
                and not self._told[-1].lower().startswith("the user")
            ):
                self._pass("who did it is not said")  # "toby … got into uni": it is not the user
                continue
            if is_quiet and (skipped or grammar().guarded(moods.QUIET, clause)):
                skipped = moods.reported(clause) or (not skipped and moods.is_condition(clause))
                self._told.append(told)
                self._pass(moods.quiet(clause) or moods.quiet(text))
                continue
            asking = not requested and (
                (questioned and at == len(parts) - 1 and text.rstrip().endswith("?"))
                or grammar().guarded(("question",), clause)
            )
            before = [third(one) for one in parts[:at]]
            noted = self._outcome.noted
            judged = self._clause(
                told, before, excerpt, asking=asking, requested=requested, stressed=stressed, old=old
            )
            self._told.append(told)
            self._learned |= given(told)
            if not judged and not asking and not requested and old is None:
                judged = self._by_meaning(clause, told, excerpt)
            if self._outcome.noted == noted:
                self._pass(_ASKS if asking else _NOTHING)
            found_any |= judged
        return found_any

    def _pass(self, reason: str) -> None:
        self._outcome.judge("passed over", reason)

    def _by_meaning(self, clause: str, told: str, excerpt: str) -> bool:
        """Take a clause that no saying fits by its meaning; return True if it seems to last."""
        if not moods.tellable(clause, told):
            return False
        category = self._meanings.get(clause)
        if category is None:
            self.undecided[clause] = False
            return False
        claim = _as_told(told, category, "by meaning")
        return self._claimed(claim, excerpt, requested=False, text=told)

    def _clause(
        self,
        told: str,
        before: Sequence[str],
        excerpt: str,
        *,
        asking: bool,
        requested: bool,
        stressed: bool,
        old: str | None,
    ) -> bool:
        if asking:
            claim = claims.mention(told)
            return claim is not None and self._claimed(claim, excerpt, requested=requested, text=told)
        gone = changes.taken_back(told) if self._speaker is None else None
        if gone is not None:
            was_known, event = self._gone(gone, excerpt), claims.claim(told)
            if was_known or (gone.final and (event is None or event.family != claims.EVENT)):
                return True
        opposite = changes.positive(told) if self._speaker is None else None
        if opposite is not None and self._denied(opposite, excerpt):
            return True
        claim = self._of_named(told) or claims.claim(told, learned=self._learned)
        danger = unsafe(told, before)
        if claim is not None and safety(claim.summary) and points_back(told):
            claim = danger
        if danger is not None and (claim is None or not safety(claim.summary)):
            judged = self._claimed(danger, excerpt, requested=requested, text=told)
        else:
            judged, claim = False, claim or claims.mention(told)
        if claim is None:
            return judged
        if stressed:
            claim = claims.with_importance(claim, "high")
        return self._claimed(claim, excerpt, requested=requested, text=told, old=old) or judged

    def _of_named(self, told: str) -> Claim | None:
        """Return the claim of a clause about somebody whose name is known: "Lena turned seven"."""
        for one in self._outcome.live():
            for name, who in one.names():
                match = re.match(rf"{re.escape(name)}(?:'s)?(?=\s)(?P<rest>.*)", told)
                if match is not None:
                    claim = claims.claim(f"{who}{match['rest']}", order=False)
                    return None if claim is None or claim.family.startswith("mentioned") else claim
        return None

    def _claimed(
        self, claim: Claim, excerpt: str, *, requested: bool, text: str, old: str | None = None
    ) -> bool:
        if self._speaker is not None:
            of_speaker = claims.of_speaker(claim, self._speaker)
            if of_speaker is None:
                return False
            claim = of_speaker
        importance = claims.important(claim, requested=requested, stressed=claims.stressed(text))
        claimed = constraining(claims.with_importance(claim, importance))
        if claimed is None:
            return False
        reason = refusal(claimed.summary, category=claimed.category, family=claimed.family, said=text)
        if reason is not None:
            self._outcome.judge("left out", reason, claimed, as_=self._hidden.shown(claimed.summary))
            return False
        claim = claimed
        decided = known.decide(claim, self._outcome.live(), old=old, wrong=changes.blames(excerpt))
        if decided is None:
            decided = self._instead(claim)
        if isinstance(decided, Change):
            self._outcome.change(decided, claim, excerpt=excerpt, hidden=self._hidden, requested=requested)
        elif isinstance(decided, Same):
            self._outcome.confirm(decided.memory, claim, excerpt=excerpt, requested=requested)
        else:
            self._outcome.include(claim, excerpt=excerpt, hidden=self._hidden, requested=requested)
        for one in self._outcome.live():
            if any(told.slot.startswith(claim.ends) for told in one.told if claim.ends):
                self._outcome.delete(one, "no longer so", excerpt=excerpt)
        return True

    def _instead(self, claim: Claim) -> Change | None:
        """Return a change of a memory that this very turn took back: "I left Siemens, I'm at Bosch now"."""
        decided = known.decide(claim, self._outcome.taken)
        if not isinstance(decided, Change):
            return None
        self._outcome.restore(decided.memory)
        return decided

    def _denied(self, opposite: str, excerpt: str) -> bool:
        """Take back the memory that a clause denies; return True if there was one."""
        claim = claims.claim(opposite, order=False)
        if claim is None or claim.told[0].slot.startswith(("likes:", "able:", "consumes:")):
            return False
        return self._take_back(claim, excerpt)

    def _take_back(self, claim: Claim | None, excerpt: str) -> bool:
        if claim is None:
            return False
        untrue = [
            one
            for one in known.telling(claim.told[0], self._outcome.live())
            if not one.denies or claim.told[0].denied
        ]
        for one in untrue:
            self._outcome.delete(one, "no longer so", excerpt=excerpt)
        return bool(untrue)

    def _gone(self, gone: changes.TakenBack, excerpt: str) -> bool:
        if gone.statement:
            claim = claims.claim(third(gone.topic), order=False)
            if claim is not None:
                return self._take_back(claim, excerpt)
        meant = known.about(gone.topic, self._outcome.live(), categories=gone.categories, everything=False)
        for one in meant:
            self._outcome.delete(one, "over", excerpt=excerpt)
        return bool(meant)

    def _forget(self, forgetting: requests.Forgetting, excerpt: str) -> None:
        topic = third(forgetting.topic)
        if forgetting.statement:
            claim = claims.claim(topic, order=False)
            if claim is not None and (meant := known.telling(claim.told[0], self._outcome.live())):
                for one in meant:
                    self._outcome.delete(one, "asked to forget", excerpt=excerpt)
                return
        meant = known.about(
            topic, self._outcome.live(), categories=CATEGORIES, everything=forgetting.everything
        )
        for one in meant:
            self._outcome.delete(one, "asked to forget", excerpt=excerpt)
        if not meant:
            self._outcome.drop()

    def _disown(self, excerpt: str) -> None:
        """Delete the memory behind the assistant's last words, which the user denies."""
        shown = known.shown_in(self._heard, self._outcome.live())
        if len(shown) == 1:
            self._outcome.delete(shown[0], "denied", excerpt=excerpt)

    def _put_right(self, right: changes.PutRight, excerpt: str, rest: str) -> None:
        wrong = known.holding(right.old, self._outcome.live())
        new = right.new or changes.named_instead(rest)
        if new is not None and len(wrong) == 1:
            self._reword(wrong[0], right.old, new, excerpt)

    def _meant(self, new: str, excerpt: str) -> None:
        shown = known.shown_in(self._heard, self._outcome.live())
        if len(shown) == 1 and shown[0].told:
            self._reword(shown[0], shown[0].told[0].value, new, excerpt)

    def _reword(self, one: KnownMemory, old: str, new: str, excerpt: str) -> None:
        summary = known.replaced(one.summary, old, new)
        claim = claims.claim(third(spelled(summary)).rstrip("."), order=False) or Claim(
            one.category, one.importance, sentence(summary), (), "corrected"
        )
        self._outcome.change(
            Change(one, sentence(summary), "corrected"),
            claim,
            excerpt=excerpt,
            hidden=self._hidden,
            requested=False,
        )
