"""Long answers of an assistant: 200 to 600 words of plausible advice around one topic."""

from __future__ import annotations

from random import Random

from generate.bank import blocks

SHORTEST = 200
LONGEST = 600


class Advice:
    """The sentences of ``banks/topics.txt``, woven into a new answer each time."""

    def __init__(self) -> None:
        self._sentences = {head.removeprefix("== "): body for head, body in blocks("topics")}

    def answer(self, topic: str, fact: str, rng: Random) -> str:
        """An answer about ``topic``; ``fact``, if any, stands somewhere in it, early or late."""
        target = rng.randint(SHORTEST, LONGEST)
        own = rng.sample(self._sentences[topic], k=len(self._sentences[topic]))
        general = rng.sample(self._sentences["general"], k=len(self._sentences["general"]))
        sentences = _mixed(own, general, target, rng)
        if fact:
            sentences.insert(rng.randrange(len(sentences) + 1), fact[0].upper() + fact[1:])
        opening = rng.choice(self._sentences["opening"])
        return "\n\n".join([opening, *_paragraphs(sentences, rng)])


def _mixed(own: list[str], general: list[str], target: int, rng: Random) -> list[str]:
    """At first the topic, then more and more of the general, until there are enough words."""
    sentences: list[str] = []
    while (own or general) and sum(len(sentence.split()) for sentence in sentences) < target:
        from_own = own and (not general or rng.random() < 0.7)
        sentences.append((own if from_own else general).pop())
    return sentences


def _paragraphs(sentences: list[str], rng: Random) -> list[str]:
    numbered = rng.random() < 0.4
    paragraphs: list[str] = []
    rest = sentences
    while rest:
        size = 1 if numbered else rng.randint(2, 5)
        chunk, rest = rest[:size], rest[size:]
        paragraphs.append((f"{len(paragraphs) + 1}. " if numbered else "") + " ".join(chunk))
    return paragraphs
