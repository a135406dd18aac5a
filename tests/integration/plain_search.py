"""The search written a second time, slowly and plainly: every entry of a space scored by itself.

Nothing here looks at the database. It is built from the messages as they were handed in, by the formula
as the documentation tells it, so that it can judge the SQL statement and what the index keeps for it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from quipu.kernel.embedding.hashing import HashEmbedder
from quipu.recall.question import Name, Question, Window, understand
from quipu.recall.ranking import Weights, words
from quipu.recall.search import FLOOR
from quipu.recall.terms import Bag, bag, tells_time

K1, B = 1.2, 0.75
K1_OF_SESSIONS = 0.6  # said once in a session, a word counts nearly in full
WEIGHTS = Weights()
EMBEDDER = HashEmbedder()


@dataclass
class Said:
    """One message of a space, and what it inherits: (share, from which), all of it before it is asked."""

    id: str
    session: str | None
    role: str
    speaker: str | None
    user: str | None
    time: datetime
    text: str
    bag: Bag = field(init=False)
    own: NDArray[np.float32] = field(init=False)
    donors: list[tuple[float, Said]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.bag = bag(self.text)
        self.own = EMBEDDER.embed_now(self.text).astype(np.float16).astype(np.float32)

    @cached_property
    def counts(self) -> Counter[int]:
        return Counter(dict(zip(self.bag.hashes.tolist(), self.bag.occurrences.tolist(), strict=True)))

    @property
    def voice(self) -> str:
        return self.speaker or ("user" if self.role == "user" else "other")

    @property
    def asks(self) -> bool:
        return self.text.rstrip().endswith("?")

    @cached_property
    def tells_time(self) -> bool:
        return tells_time(self.text)

    @cached_property
    def mixed(self) -> Counter[int]:
        total = Counter(self.counts)
        for share, donor in self.donors:
            for term, occurrences in donor.counts.items():
                total[term] += share * occurrences  # pyright: ignore[reportArgumentType]
        return total

    @cached_property
    def mixed_length(self) -> float:
        return self.bag.tokens + sum(share * donor.bag.tokens for share, donor in self.donors)

    @cached_property
    def context(self) -> NDArray[np.float32]:
        total = self.own + sum((np.float32(share) * donor.own for share, donor in self.donors), np.float32(0))
        length = float(np.linalg.norm(total))
        return total / length if length else total


class PlainSpace:
    """All that was said in one space."""

    def __init__(self, said: Sequence[Said]) -> None:
        self.said = list(said)
        self.threads: dict[str, list[Said]] = {}
        for one in said:
            if one.session is not None:
                self.threads.setdefault(one.session, []).append(one)
        for thread in self.threads.values():
            _inherit(thread)
        self.languages = sorted({one.bag.language for one in said})
        self._names = {
            name: n for n, name in enumerate(sorted({s.speaker for s in said if s.speaker}), start=1)
        }

    def people(self) -> list[Name]:
        """Everybody who took part in a thread, with the share of the threads."""
        spoke = Counter(s for t in self.threads.values() for s in {one.speaker for one in t if one.speaker})
        return [Name(self._names[n], n, count / len(self.threads)) for n, count in spoke.most_common()]

    def understand(self, question: str, now: datetime) -> Question:
        times = [one.time for one in self.said] or [now]
        return understand(
            question,
            people=self.people(),
            languages=self.languages,
            now=now,
            first=min(times),
            last=max(times),
        )

    def ask(
        self, question: str, *, now: datetime, allows: Callable[[Said], bool], limit: int
    ) -> list[tuple[str, float, dict[str, float]]]:
        """Every entry that is relevant and allowed: id, score, parts; best first."""
        asked = self.understand(question, now)
        vector = EMBEDDER.embed_now(asked.meaning).astype(np.float16).astype(np.float32)
        allowed = [one for one in self.said if allows(one)]
        idf = self._idf(asked)
        words = {
            one.id: self._bm25(asked, idf, one.mixed, one.mixed_length, self._mean_mixed) for one in allowed
        }
        threads = self._threads(asked, allowed)
        best_words = max(words.values(), default=0.0)
        best_thread = max(threads.values(), default=0.0)
        weights = self._weights(asked, allowed)
        total = sum(weights.values()) - weights["length"] + weights["length"] * math.log(31)
        ranked: list[tuple[str, float, dict[str, float]]] = []
        for one in allowed:
            cosine = float(one.context @ vector)
            date = _date(one.time, asked.windows)
            if not (words[one.id] > 0 or cosine >= FLOOR or date > 0):
                continue
            thread = self.threads.get(one.session or "", [])
            taking_part = {s.speaker for s in thread}
            among_people = one.session is not None and all(s.role == "user" for s in thread)
            signals = {
                "meaning": max(0.0, cosine),
                "words": words[one.id] / best_words if best_words else 0.0,
                "session": threads.get(one.session or "", 0.0) / best_thread if best_thread else 0.0,
                "speaker": float(self._number(one) in asked.speakers),
                "asker": float(one.role == "user"),
                "people": float({m.person.name for m in asked.mentions} <= taking_part),
                "date": date,
                "when": float(one.tells_time),
                "tells": float(not (one.asks and among_people)),
                "length": math.log(1 + min(one.bag.words, 30)),
            }
            parts = {name: weights[name] * value / total for name, value in signals.items()}
            parts["speaker"] += parts.pop("asker")
            ranked.append((one.id, sum(parts.values()), {k: v for k, v in parts.items() if v}))
        return self._once(sorted(ranked, key=lambda hit: -hit[1]))[:limit]

    def at_the_floor(self, question: str, *, now: datetime) -> set[str]:
        """Entries that only meaning finds, and that rounding, which differs by processor, lets in or not."""
        asked = self.understand(question, now)
        vector = EMBEDDER.embed_now(asked.meaning)
        idf = self._idf(asked)
        return {
            one.id
            for one in self.said
            if abs(float(one.context @ vector) - FLOOR) < 1e-3
            and not self._bm25(asked, idf, one.mixed, one.mixed_length, self._mean_mixed)
            and not _date(one.time, asked.windows)
        }

    def _once(
        self, ranked: Sequence[tuple[str, float, dict[str, float]]]
    ) -> list[tuple[str, float, dict[str, float]]]:
        """Keep the best of the lines that one person said in the same words."""
        spoken = {one.id: one for one in self.said}
        best: dict[object, tuple[str, float, dict[str, float]]] = {}
        for hit in ranked:
            one = spoken[hit[0]]
            best.setdefault((one.speaker or one.role, one.user, tuple(words(one.text))), hit)
        return list(best.values())

    def _number(self, one: Said) -> int:
        return self._names[one.speaker] if one.speaker else 0

    def _idf(self, asked: Question) -> dict[str, float]:
        found: dict[str, float] = {}
        for term, hashes in asked.terms.items():
            n = sum(any(h in one.counts for h in hashes) for one in self.said)
            found[term] = math.log(1 + (len(self.said) - n + 0.5) / (n + 0.5))
        return found

    def _bm25(
        self,
        asked: Question,
        idf: dict[str, float],
        counts: Counter[int],
        length: float,
        mean: float,
        *,
        k1: float = K1,
    ) -> float:
        score = 0.0
        for term, hashes in asked.terms.items():
            tf = sum(counts[h] for h in hashes)
            score += idf[term] * tf * (k1 + 1) / (tf + k1 * (1 - B + B * length / mean))
        return score

    def _threads(self, asked: Question, allowed: Sequence[Said]) -> dict[str, float]:
        """BM25 of whole sessions, their words as rare as the sessions that compete and have them."""
        mean = max(1.0, sum(one.bag.tokens for one in self.said) / max(1, len(self.threads)))
        competing = {one.session for one in allowed if one.session is not None}
        counts = {name: held for name, held in self._words_of_threads.items() if name in competing}
        idf: dict[str, float] = {}
        for term, hashes in asked.terms.items():
            n = sum(any(h in held for h in hashes) for held in counts.values())
            idf[term] = math.log(1 + (len(self.threads) - n + 0.5) / (n + 0.5))
        return {
            name: self._bm25(
                asked,
                idf,
                held,
                sum(one.bag.tokens for one in self.threads[name]),
                mean,
                k1=K1_OF_SESSIONS,
            )
            for name, held in counts.items()
        }

    @cached_property
    def _words_of_threads(self) -> dict[str, Counter[int]]:
        return {
            name: sum((one.counts for one in thread), Counter[int]()) for name, thread in self.threads.items()
        }

    @cached_property
    def _mean_mixed(self) -> float:
        return max(1.0, sum(one.mixed_length for one in self.said) / len(self.said))

    def _weights(self, asked: Question, allowed: Sequence[Said]) -> dict[str, float]:
        in_time = sum(any(w.since <= one.time < w.until for w in asked.windows) for one in allowed)
        together = min((m.person.share for m in asked.mentions), default=1.0)
        many = min(1.0, max(0, len(self.threads) - 1) / 20)
        return {
            "meaning": WEIGHTS.meaning,
            "words": WEIGHTS.words if asked.terms else 0.0,
            "session": WEIGHTS.session * many if asked.terms else 0.0,
            "speaker": WEIGHTS.speaker if asked.speakers else 0.0,
            "asker": WEIGHTS.asker if asked.asker else 0.0,
            "people": WEIGHTS.people * _tells(together) if asked.mentions else 0.0,
            "date": WEIGHTS.date * _tells(in_time / max(1, len(allowed))) if asked.windows else 0.0,
            "when": WEIGHTS.when if asked.when else 0.0,
            "tells": WEIGHTS.tells,
            "length": WEIGHTS.length,
        }


def _tells(share: float) -> float:
    return 1.0 if share == 0 else min(1.0, -math.log(share) / 2)


def _date(time: datetime, windows: Sequence[Window]) -> float:
    scores = [0.0]
    for w in windows:
        if w.since <= time < w.until:
            scores.append(w.score)
        elif w.until <= time < w.ends:
            scores.append(w.after * math.exp(-((time - w.until) / w.fade)))
    return max(scores)


def _inherit(thread: Sequence[Said]) -> None:
    """inherit(i <- j) = base / (1 + words_i / 30) * min(1, 60 / words_j), never across a pause of an hour."""
    for at, one in enumerate(thread):
        for step, base in ((-1, 0.5), (-2, 0.25), (1, 0.3)):
            if not 0 <= at + step < len(thread):
                continue
            donor = thread[at + step]
            if step == -1 and donor.asks and donor.voice != one.voice:
                base = 0.9
            if abs(one.time - donor.time) <= timedelta(hours=1):
                share = base / (1 + one.bag.words / 30) * min(1.0, 60 / max(1, donor.bag.words))
                one.donors.append((share, donor))
