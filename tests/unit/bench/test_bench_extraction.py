"""The labelled turns are what their README says, and the held-out ones hold what the docs promise."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from extraction.labelled import SETS, Label, Labelled, of_set
from extraction.measures import figures, judged, micro
from extraction.systems import keywords, patterns_alone
from quipu.kinds.transcripts.extract.model import CATEGORIES


def turn(text: str, *labels: Label) -> Labelled:
    return Labelled("t", "user", text, labels, None)


@pytest.mark.parametrize("name", SETS)
def test_every_quote_stands_in_its_turn_and_a_trap_has_none(name: str, repository: Path) -> None:
    for line in (repository / "bench" / "extraction" / f"{name}.jsonl").read_text("utf-8").splitlines():
        one = json.loads(line)
        assert bool(one["findings"]) != ("trap" in one)
        for finding in one["findings"]:
            assert finding["quote"] in one["text"]
            assert finding["category"] in CATEGORIES


def test_no_turn_is_in_two_sets() -> None:
    texts = [one.text for name in SETS for one in of_set(name)]
    assert len(texts) == len(set(texts))


def test_at_least_a_third_of_each_set_is_to_be_left() -> None:
    for name in SETS:
        turns = of_set(name)
        assert sum(one.trap is not None for one in turns) * 3 >= len(turns) - 3, name


def test_figures_count_stretches_that_meet() -> None:
    labelled = turn("I like tabs. Port 80.", Label("preferences", 0, 12), Label("knowledge", 13, 21))
    found = [Label("preferences", 2, 6), Label("todo", 13, 21)]
    one = judged(labelled, found)
    assert ([x.category for x in one.wrong], [x.category for x in one.missed]) == (["todo"], ["knowledge"])
    assert len(one.mistakes) == 2
    strict = micro(figures([labelled], [found]))
    loose = micro(figures([labelled], [found], category=False))
    assert (strict.precision, strict.recall, strict.f1) == (0.5, 0.5, 0.5)
    assert (loose.precision, loose.recall) == (1.0, 1.0)


@pytest.mark.anyio
async def test_what_was_held_out_is_kept_rightly_and_better_than_by_keywords() -> None:
    turns = of_set("report")
    ours = micro(figures(turns, await patterns_alone(turns)))
    theirs = micro(figures(turns, keywords(turns)))
    assert ours.precision >= 0.85
    assert ours.recall >= 0.85
    assert ours.f1 > theirs.f1 + 0.3
