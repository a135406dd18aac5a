"""How well the rules read exchanges: precision and recall of each type of gist, accuracy of the valence.

    python bench/chunking.py               tuning half and held-out half
    python bench/chunking.py --faults      and each exchange of the tuning half that was read wrongly

The corpus is tests/data/exchanges.tsv, by hand; odd lines are for tuning, even ones are held out.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import get_args

from quipu.kinds.episodes.chunking.chunkers import chunk
from quipu.kinds.episodes.chunking.model import Talk, Turn
from quipu.kinds.episodes.shapes import Chunk, GistType

CORPUS = Path(__file__).resolve().parent.parent / "tests" / "data" / "exchanges.tsv"


@dataclass(frozen=True, slots=True)
class Labelled:
    """What somebody said, and what is to be found in it."""

    text: str
    types: frozenset[str]
    valence: str


@dataclass(frozen=True, slots=True)
class Score:
    """Of one type: how many were found rightly, found wrongly, and missed."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        """Of what was found, the share that is right."""
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """Of what is there, the share that was found."""
        return self.right / max(1, self.right + self.missed)


def corpus(path: Path = CORPUS) -> tuple[list[Labelled], list[Labelled]]:
    """The tuning half and the held-out half."""
    lines = [line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    found = [_labelled(line) for line in lines]
    return found[::2], found[1::2]


def read(one: Labelled) -> Chunk:
    """What the rules find."""
    return chunk(Talk([Turn(None, one.text, began=True)]))


def scores(labelled: Sequence[Labelled]) -> dict[str, Score]:
    """A score for each type of gist."""
    read_all = [(one.types, {gist.type for gist in read(one).gists}) for one in labelled]
    return {
        kind: Score(
            sum(kind in there and kind in found for there, found in read_all),
            sum(kind not in there and kind in found for there, found in read_all),
            sum(kind in there and kind not in found for there, found in read_all),
        )
        for kind in get_args(GistType)
    }


def valence(labelled: Sequence[Labelled]) -> float:
    """The share of exchanges whose valence is found."""
    return sum(read(one).scope.sentiment == one.valence for one in labelled) / len(labelled)


def _labelled(line: str) -> Labelled:
    text, types, felt = line.split("\t")
    return Labelled(text, frozenset(types.split(",")) - {"-"}, felt)


def _print(name: str, labelled: Sequence[Labelled]) -> None:
    print(f"{name}: {len(labelled)} exchanges, valence {valence(labelled):.3f}")
    every = scores(labelled)
    for kind, score in every.items():
        total = score.right + score.missed
        print(f"  {kind:12} precision {score.precision:.2f}  recall {score.recall:.2f}  of {total}")
    whole = Score(*(sum(column) for column in zip(*map(astuple, every.values()), strict=True)))
    total = whole.right + whole.missed
    print(f"  {'all':12} precision {whole.precision:.2f}  recall {whole.recall:.2f}  of {total}")


def _faults(labelled: Sequence[Labelled]) -> None:
    for one in labelled:
        found = read(one)
        types: set[str] = {gist.type for gist in found.gists}
        if frozenset(types) != one.types or found.scope.sentiment != one.valence:
            there, here = f"{sorted(one.types)} {one.valence}", f"{sorted(types)} {found.scope.sentiment}"
            print(f"  {one.text}\n    {there} -> {here}")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--faults", action="store_true", help="show what was read wrongly in the tuning half")
    given = parser.parse_args()
    tuning, held_out = corpus()
    _print("tuning", tuning)
    _print("held out", held_out)
    if given.faults:
        _faults(tuning)
    began = time.perf_counter()
    for one in (*tuning, *held_out):
        read(one)
    print(f"{(len(tuning) + len(held_out)) / (time.perf_counter() - began):.0f} exchanges a second")


if __name__ == "__main__":
    main()
