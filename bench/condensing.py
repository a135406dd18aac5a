"""How much the meaning of sentences adds to rules of words, for how something ended and for how it felt.

    python bench/condensing.py               tuning half and held-out half
    python bench/condensing.py --faults      and each sentence of the tuning half that was read wrongly

The sentences are bench/condensing/sentences.tsv, by hand, worded as the rules do not expect it; odd lines are
for tuning, even ones are held out. Precision and recall are of all that is not "neither" or "neutral".
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio

from quipu.kernel.config import load
from quipu.kernel.embedding.choose import choose
from quipu.kinds.episodes import cues
from quipu.kinds.episodes.building.prototypes import meaning
from quipu.kinds.episodes.chunking.emotion import feel

SENTENCES = Path(__file__).with_name("condensing") / "sentences.tsv"
_NOTHING = ("-", "neutral")


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence, how something ended in it, and how it feels."""

    text: str
    ending: str
    valence: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="bench/condensing.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--faults", action="store_true", help="show what was read wrongly in the tuning half")
    anyio.run(_measure, parser.parse_args(arguments).faults)
    return 0


def corpus(path: Path = SENTENCES) -> list[Labelled]:
    """All sentences, in their order."""
    lines = [line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    rows = [line.split("\t") for line in lines]
    return [Labelled(row[0], row[1], row[4]) for row in rows]


async def _measure(faults: bool) -> None:
    embedder = choose(load(None, {}))
    known = await meaning(embedder)
    labelled = corpus()
    told = [f"the user: {one.text}" for one in labelled]
    vectors = await embedder.embed(told)
    await embedder.aclose()
    endings, moods = known.endings(told, vectors), known.moods(told, vectors)
    for name, half in (("tuning", slice(0, None, 2)), ("held out", slice(1, None, 2))):
        some, keys = labelled[half], told[half]
        words = [_ending(one.text) for one in some]
        both = [by if by != "-" else endings.get(key, "-") for by, key in zip(words, keys, strict=True)]
        _print(f"{name}, endings", [one.ending for one in some], {"words": words, "and meaning": both})
        felt: list[str] = [feel(one.text).valence for one in some]
        more = [
            by if by != "neutral" else _valence(moods.get(key)) for by, key in zip(felt, keys, strict=True)
        ]
        _print(f"{name}, valence", [one.valence for one in some], {"words": felt, "and meaning": more})
        if faults and name == "tuning":
            for one, ended, mood in zip(some, both, more, strict=True):
                if (ended, mood) != (one.ending, one.valence):
                    print(f"  {one.text}\n    {one.ending} {one.valence} -> {ended} {mood}")


def _ending(text: str) -> str:
    names = ("failed", "solved")
    return next((one for one in names if cues.matches(text, section="outcome", name=one)), "-")


def _valence(mood: str | None) -> str:
    return "neutral" if mood is None else "positive" if mood == "joy" else "negative"


def _print(name: str, truth: Sequence[str], found: Mapping[str, Sequence[str]]) -> None:
    print(f"{name}: {len(truth)} sentences")
    for how, answers in found.items():
        pairs = list(zip(answers, truth, strict=True))
        right = sum(one == true and one not in _NOTHING for one, true in pairs)
        said, there = (sum(one not in _NOTHING for one in each) for each in (answers, truth))
        precision, recall = right / max(1, said), right / max(1, there)
        print(f"  {how:12} precision {precision:.2f}  recall {recall:.2f}  of {there}")


if __name__ == "__main__":
    sys.exit(main())
