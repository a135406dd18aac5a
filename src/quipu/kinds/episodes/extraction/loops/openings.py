"""Opening of loops by an exchange: promises, tasks, things awaited, questions not answered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from quipu.kernel.prose.gate import guarded
from quipu.kernel.prose.standing import read as instructions
from quipu.kinds.episodes.extraction.loops.due import due
from quipu.kinds.episodes.extraction.loops.lexicon import deeds, terms, wording
from quipu.kinds.episodes.extraction.loops.model import LoopKind, Opened
from quipu.kinds.episodes.extraction.turns import Sentence, SpokenTurn, sentences

_MOST_OF_A_TURN: Final = 3
_LONGEST_EVASION: Final = 60
"""Words. A longer reply says something, whatever it says that it does not know."""

_VERB: Final = re.compile(
    r"(?:\b(?:(?:have|has|had|needs?|want|plan|going|got|ought|forget|forgot|forgotten|remember|supposed"
    r"|intend|mean|meant|hope|me|how|us) to|must|should|please"
    r"|(?:can|could|would|will|did|do|have|are) you|will|gotta|better)|'ll|'d|^to-?do:?)"
    r" (?:also |just |still |all |be )?([a-z]+)"
)
_COMES: Final = frozenset[LoopKind](("promise", "waiting"))


@dataclass(frozen=True, slots=True)
class _Said:
    """A turn with its sentences."""

    turn: SpokenTurn
    sentences: Sequence[Sentence]


@dataclass(frozen=True, slots=True)
class _Opening:
    place: int
    kind: LoopKind
    sentence: Sentence
    before: str = ""
    request: Sentence | None = None


def opened(turns: Sequence[SpokenTurn], *, before: Sequence[SpokenTurn] = ()) -> list[Opened]:
    """Return the loops that an exchange opens, in order; ``before`` is the exchange before it.

    A request or a question that is answered by a promise is one loop: the promise. A question of an agent at
    the end of the exchange before is open if this one does not answer it.
    """
    said = [_Said(turn, sentences(turn.text)) for turn in turns]
    stated = [each for place in range(len(said)) for each in _stated(said, place)]
    questions = [each for place in range(len(said)) for each in _unanswered(said, place)]
    stated, questions = _united(said, stated, questions)
    ignored = [_ignored(before[-1], said[0])] if before and said else []
    return [
        *(one for one in ignored if one is not None),
        *(_opened(said, each) for each in sorted([*stated, *questions], key=lambda f: f.place)),
    ]


def _stated(said: Sequence[_Said], place: int) -> Iterator[_Opening]:
    """Yield the loops that a turn itself opens."""
    turn, count, before = said[place].turn, 0, ""
    for sentence in said[place].sentences:
        kind = _kind(sentence, by_agent=turn.by_agent)
        if kind is not None and count < _MOST_OF_A_TURN and not _opens_nothing(sentence):
            count += 1
            yield _Opening(place, kind, sentence, before)
        before = sentence.text


def _opens_nothing(sentence: Sentence) -> bool:
    """Return True for somebody else's words, and for what is to hold from now on."""
    if _IN_PASSING.search(sentence.seen) or guarded(("quoted",), sentence.text):
        return True
    return any(one.is_rule for one in instructions(sentence.text))


_IN_PASSING: Final = re.compile(
    r"\b(?:before|while|when|because|cos|since|until|after|if) (?:i|we)"
    r" (?:have to|gotta|need to|got to|must|should)\b"
)
"""Something that is named only as what is done next: "a quick one before I have to go"."""


def _kind(sentence: Sentence, *, by_agent: bool) -> LoopKind | None:
    all_, seen = wording(), sentence.seen
    timed = all_.time.search(seen) is not None
    if not sentence.asks and _promises(seen, by_agent=by_agent, timed=timed):
        return "promise"
    if all_.followup.said.search(seen):
        return None if all_.followup.courtesy.search(seen) else "followup"
    if by_agent:
        return None
    if all_.task.said.search(seen) or (timed and all_.task.timed.search(seen)):
        return None if sentence.asks and not all_.task.said.search(seen) and not timed else "task"
    if sentence.asks:
        return None
    if all_.waiting.said.search(seen) or (timed and all_.waiting.timed.search(seen)):
        return "waiting"
    return "question" if all_.question.said.search(seen) else None


def _promises(seen: str, *, by_agent: bool, timed: bool) -> bool:
    promise = wording().promise
    if promise.never.search(seen):
        return False
    if promise.later.search(seen):
        return True
    if promise.now.search(seen) and not timed:
        return False
    for match in promise.said.finditer(seen):
        verb = next(word for word in match.groups() if word)
        if verb in promise.light:
            continue
        if timed or (not by_agent and (verb in promise.doing or verb.rstrip("e") in promise.doing)):
            return True
        if not match[0].lstrip("iwe").startswith(("'", " will", " shall", " am", "'re")) and not by_agent:
            return True  # "I promised Tom to …": said to be a promise
    return False


def _unanswered(said: Sequence[_Said], place: int) -> Iterator[_Opening]:
    """Yield the question of a turn that nobody answered: one, the last, or the one that was evaded."""
    question = wording().question
    turn = said[place].turn
    questions = [
        one for one in said[place].sentences
        if one.asks and not question.idle.search(one.seen) and not question.offered.search(one.seen)
    ]  # fmt: skip
    if not questions or turn.by_agent:
        return
    reply = next((one for one in said[place + 1 :] if one.turn.voice != turn.voice), None)
    if reply is None:
        if all(one.turn.voice == turn.voice for one in said):
            yield _Opening(place, "question", questions[-1])
        return
    evading = _evading(reply)
    if evading is not None:
        about = terms(evading.seen)
        nearest = max(enumerate(questions), key=lambda one: (len(terms(one[1].seen) & about), one[0]))[1]
        yield _Opening(place, "question", nearest)


def _evading(reply: _Said) -> Sentence | None:
    """Return the sentence of a reply that evades the question; None if it answers."""
    question = wording().question
    if len(reply.turn.text.split()) > _LONGEST_EVASION or question.answered.search(reply.turn.text.lower()):
        return None
    return next((one for one in reply.sentences[:3] if question.evaded.search(one.seen)), None)


def _united(
    said: Sequence[_Said], stated: Sequence[_Opening], questions: Sequence[_Opening]
) -> tuple[list[_Opening], list[_Opening]]:
    """Merge promises and waiting with the question or the request that they answer."""
    kept: list[_Opening] = []
    covered: set[int] = set()
    for each in stated:
        request = _request(said, each.place) if each.kind in _COMES else None
        if request is not None:
            covered.add(each.place - 1)
            each = replace(each, request=request)
        kept.append(each)
    kept = [each for each in kept if each.request or not _is_vague(each)]
    answered = {each.place for each in kept if each.kind in _COMES}
    first = {each.place: each for each in reversed(kept)}
    return (
        [f for f in kept if f.place not in covered or (f.kind in _COMES and first[f.place] is f)],
        [f for f in questions if f.place not in covered and f.place + 1 not in answered],
    )


def _is_vague(opening: _Opening) -> bool:
    """Return True for a promise of which nobody could tell later what it was: "I shall call"."""
    things = terms(opening.sentence.text) - _verbs(opening.sentence.seen, promise=True)
    before = terms(opening.before) if opening.before else ()
    return opening.kind == "promise" and not things and not before


def _request(said: Sequence[_Said], place: int) -> Sentence | None:
    """Return the question or request of another voice just before a turn."""
    if place == 0 or said[place - 1].turn.voice == said[place].turn.voice:
        return None
    listed = said[place - 1].sentences
    all_ = wording()
    return next(
        (
            one for one in reversed(listed)
            if (one.asks and not all_.question.idle.search(one.seen))
            or all_.task.said.search(one.seen) or all_.followup.said.search(one.seen)
            or one.seen.startswith(("please ", "can you ", "could you "))
        ),
        None,
    )  # fmt: skip


def _ignored(turn: SpokenTurn, after: _Said) -> Opened | None:
    """Return the agent's question, if the other's next words are about something else."""
    question = wording().question
    questions = [one for one in sentences(turn.text) if one.asks and question.wanted.search(one.seen)]
    if not turn.by_agent or not questions or question.idle.search(questions[-1].seen):
        return None
    if question.offered.search(questions[-1].seen) or after.turn.voice == turn.voice:
        return None
    about = terms(questions[-1].text)
    back = [one for one in after.sentences if one.asks and len(terms(one.text)) > 1]
    turned = bool(back) or any(question.elsewhere.search(one.seen) for one in after.sentences)
    if not turned or any(terms(one.text) & about for one in after.sentences):
        return None
    return _opened([_Said(turn, ())], _Opening(0, "question", questions[-1]))


def _opened(said: Sequence[_Said], opening: _Opening) -> Opened:
    sentence, request = opening.sentence, opening.request
    turn, sources = said[opening.place].turn, [said[opening.place].turn.message]
    verbs = _verbs(sentence.seen, promise=opening.kind == "promise")
    things = terms(sentence.text) - verbs
    text = sentence.text
    if request is not None:
        verbs |= _verbs(request.seen)
        things = (terms(request.text) - verbs) or things
        text = f"{request.text} {text}"
        sources.insert(0, said[opening.place - 1].turn.message)
    elif opening.before and len(things) < 2:
        things |= terms(opening.before) - verbs
        text = f"{opening.before} {text}"
    return Opened(
        message=turn.message,
        messages=tuple(sources),
        kind=opening.kind,
        text=text,
        voice=turn.voice,
        at=turn.at,
        due=due(sentence.seen, said_at=turn.at),
        things=things,
        verbs=verbs,
    )


def _verbs(seen: str, *, promise: bool = False) -> frozenset[int]:
    """Return the verbs of what is to be done."""
    words = _VERB.findall(seen)
    if promise:
        words += [word for one in wording().promise.said.findall(seen) for word in one]
    return deeds(" ".join(words))
