"""The labelled review sentences, and what is measured with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from quipu.kinds.ledger.signals.complaints import judge
from quipu.kinds.ledger.signals.model import THEMES
from signals.labelled import SETS, half, of_set
from signals.measures import count, figures, macro
from signals.origin import origin
from signals.semeval import load


def test_no_sentence_stands_twice() -> None:
    every = [one for name in SETS for one in of_set(name)]
    assert len({one.id for one in every}) == len({one.text.lower() for one in every}) == len(every)


@pytest.mark.parametrize("name", SETS)
def test_every_set_has_complaints_of_every_theme_and_none(name: str) -> None:
    labelled = of_set(name)
    assert min(sum(theme in one.themes for one in labelled) for theme in THEMES) >= 8
    assert sum(not one.themes for one in labelled) >= 30


def test_the_halves_are_those_that_were_fixed_before_tuning() -> None:
    assert [half(f"s{number:03d}") for number in range(1, 9)] == _FIRST
    assert (len(of_set("tune")), len(of_set("report"))) == (240, 201)


_FIRST = ["tune", "tune", "report", "report", "report", "tune", "tune", "report"]


def test_figures_count_what_was_found_wrongly_found_and_missed() -> None:
    found = count([(True, True), (True, False), (False, True), (False, False), (True, True)])
    assert (found.right, found.wrong, found.missed) == (2, 1, 1)
    assert found.precision == found.recall == found.f1 == pytest.approx(2 / 3)
    nothing = count([])
    assert (nothing.precision, nothing.recall, nothing.f1) == (0, 0, 0)


def test_the_origin_takes_the_first_substring() -> None:
    assert origin("Our waiter was quick") == {"wait_time"}
    assert origin("They hosted my birthday") == {"host_queue"}
    assert origin("Delicious") == {"other"}


@pytest.mark.parametrize("name", ["report", "unseen"])
def test_words_alone_are_far_better_than_the_origin(name: str) -> None:
    labelled = of_set(name)
    ours = [frozenset(complaint.theme for complaint in judge(one.text).complaints) for one in labelled]
    theirs = [origin(one.text) for one in labelled]
    assert macro(labelled, ours) > 0.75
    assert macro(labelled, ours) > 3 * macro(labelled, theirs)
    assert all(figures(theme, labelled, ours).precision > 0.7 for theme in THEMES)


def test_semeval_files_are_read_by_category_and_polarity(tmp_path: Path) -> None:
    file = tmp_path / "some.xml"
    file.write_text(
        "<sentences><sentence id='1'><text>Fine.</text><aspectCategories>"
        "<aspectCategory category='food' polarity='conflict'/>"
        "<aspectCategory category='price' polarity='positive'/>"
        "</aspectCategories></sentence></sentences>"
    )
    (sentence,) = load(file, part="all")
    assert (sentence.text, sentence.complained) == ("Fine.", {"food"})
    assert len(load(file, part="tune")) + len(load(file, part="report")) == 1
