"""Measure whether associations between concepts would help recall: spreading activation, on LoCoMo.

    python bench/concepts.py --data locomo10.json
    python bench/concepts.py --data locomo10.json --answers FILE    keep what recall answers, to try again

Concepts are the names and terms that recur in exchanges, linked where they occur in the same exchange more
often than chance (normalised pointwise mutual information). A question activates the concepts that it names;
activation spreads two steps and loses 30 % with each, and what is left after 0.3 is dropped (the constants of
the origin). A message gains by the activation of its concepts that the question does not name. The figures
are the share of the evidence among the first ten hits; the weight of the gain is chosen on the tuning half.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import fmean

from rich.console import Console
from rich.table import Table

from quality import locomo
from quality.model import Conversation, Question
from quipu import Memory
from quipu.recall.terms import question_terms

WEIGHTS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4)
DEPTH = 2
DECAY = 0.7
THRESHOLD = 0.3
FEWEST_EXCHANGES = 2
MOST_SHARE = 0.1
STRONGEST = 12
CANDIDATES = 200

Answers = Mapping[str, Sequence[Sequence[tuple[str, float]]]]
"""By conversation, for each question its hits: id and score."""


class Concepts:
    """The concepts of one conversation, and how strongly each leads to others (0 to 1)."""

    def __init__(self, conversation: Conversation) -> None:
        self.of_message = {m.id: _terms(m.content) for m in conversation.messages}
        exchanges = list(_exchanges(conversation, self.of_message))
        counts = Counter(term for terms in exchanges for term in terms)
        most = MOST_SHARE * len(exchanges)
        self.known = {term for term, n in counts.items() if FEWEST_EXCHANGES <= n <= most}
        together: Counter[tuple[int, int]] = Counter()
        for terms in exchanges:
            together.update(combinations(sorted(terms & self.known), 2))
        self.links: dict[int, dict[int, float]] = defaultdict(dict)
        for (one, other), n in together.items():
            strength = _npmi(n, counts[one], counts[other], len(exchanges)) if n >= FEWEST_EXCHANGES else 0
            if strength > 0:
                self.links[one][other] = self.links[other][one] = strength
        for term, leads in self.links.items():
            self.links[term] = dict(sorted(leads.items(), key=lambda pair: -pair[1])[:STRONGEST])

    def activated(self, question: str) -> dict[int, float]:
        """Activation of the concepts that a question leads to, those that it names aside."""
        named = _terms(question) & self.known
        active, front = dict.fromkeys(named, 1.0), dict.fromkeys(named, 1.0)
        for _ in range(DEPTH):
            spread: dict[int, float] = {}
            for term, amount in front.items():
                for other, strength in self.links.get(term, {}).items():
                    gain = amount * strength * DECAY
                    if gain >= THRESHOLD * DECAY and gain > max(active.get(other, 0), spread.get(other, 0)):
                        spread[other] = gain
            active |= spread
            front = spread
        return {term: amount for term, amount in active.items() if term not in named}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="bench/concepts.py", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="path of locomo10.json")
    parser.add_argument("--answers", type=Path, help="keep what recall answers there")
    options = parser.parse_args(arguments)
    conversations = locomo.load(options.data)
    if options.answers and options.answers.exists():
        answers = json.loads(options.answers.read_text())
    else:
        answers = _asked(conversations)
        if options.answers:
            options.answers.write_text(json.dumps(answers))
    _show(Console(width=110), conversations, answers)
    return 0


def _asked(conversations: Sequence[Conversation]) -> Answers:
    answers: dict[str, list[list[tuple[str, float]]]] = {}
    with tempfile.TemporaryDirectory(prefix="quipu-bench-", ignore_cleanup_errors=True) as temporary:
        Path(temporary).chmod(0o711)
        with Memory(home=Path(temporary) / "home") as memory:
            for one in conversations:
                memory.import_messages((m.as_dict() for m in one.messages), space=one.name)
                texts = [question.text for question in one.questions]
                found = memory.recall_many(texts, space=one.name, kinds=("message",), limit=CANDIDATES)
                answers[one.name] = [[(str(h.source.message), h.score) for h in hits] for hits in found]
                print(one.name, len(one.messages), len(texts), file=sys.stderr, flush=True)
    return answers


def _show(console: Console, conversations: Sequence[Conversation], answers: Answers) -> None:
    table = Table(
        "weight", *(f"{half} {kind}" for half in ("tune", "report") for kind in ("multi-hop", "all"))
    )
    for weight in WEIGHTS:
        figures: dict[str, list[float]] = defaultdict(list)
        for one in conversations:
            concepts = Concepts(one)
            for question, hits in zip(one.questions, answers[one.name], strict=True):
                if question.evidence:
                    share = _share(question, _reranked(concepts, question, hits, weight))
                    figures[f"{question.half} all"].append(share)
                    figures[f"{question.half} {question.category}"].append(share)
        columns = [f"{half} {kind}" for half in ("tune", "report") for kind in ("multi-hop", "all")]
        table.add_row(f"{weight:.2f}", *(f"{100 * fmean(figures[name]):.2f}" for name in columns))
    console.print(table)


def _reranked(
    concepts: Concepts, question: Question, hits: Sequence[tuple[str, float]], weight: float
) -> list[str]:
    active = concepts.activated(question.text) if weight else {}
    gains = {id_: sum(active.get(term, 0.0) for term in concepts.of_message.get(id_, ())) for id_, _ in hits}
    most = max(gains.values(), default=0.0) or 1.0
    return [id_ for id_, score in sorted(hits, key=lambda hit: -(hit[1] + weight * gains[hit[0]] / most))]


def _share(question: Question, ranked: Sequence[str]) -> float:
    return len(set(ranked[:10]) & set(question.evidence)) / len(set(question.evidence))


def _exchanges(
    conversation: Conversation, of_message: Mapping[str, frozenset[int]]
) -> Iterator[frozenset[int]]:
    """The terms of each turn with the one after it, within a session."""
    for one, after in zip(conversation.messages, conversation.messages[1:], strict=False):
        if one.session == after.session:
            yield of_message[one.id] | of_message[after.id]


def _terms(text: str) -> frozenset[int]:
    return frozenset(n for numbers in question_terms(text, ("english",)).values() for n in numbers)


def _npmi(both: int, one: int, other: int, of_all: int) -> float:
    share = both / of_all
    return math.log(share / (one / of_all * other / of_all)) / -math.log(share)


if __name__ == "__main__":
    sys.exit(main())
