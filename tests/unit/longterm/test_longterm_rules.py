"""When two summaries say the same; what is chosen where they do."""

from __future__ import annotations

import unicodedata
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quipu.kernel.base.text import clean
from quipu.kinds.longterm import rules
from quipu.kinds.longterm.model import IMPORTANCES

texts = st.text(max_size=60).map(lambda text: clean(text).text)


@settings(max_examples=50)
@given(texts)
def test_the_normal_form_of_a_normal_form_is_itself(text: str) -> None:
    form = rules.normal_form(text)
    assert rules.normal_form(form) == form


@settings(max_examples=50)
@given(texts, st.sampled_from([" ", "\t", "\n ", "\u00a0"]))
def test_case_width_composition_and_space_make_no_other_memory(text: str, space: str) -> None:
    same = rules.summary_hash(text)
    assert rules.summary_hash(space + space.join(text.split()) + space) == same
    assert rules.summary_hash(unicodedata.normalize("NFD", text)) == same
    assert len(same) == 64


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lives in Lisbon", "  lives   in LISBON "),
        ("Ｌｉｓｂｏｎ", "lisbon"),
        ("Café", "Cafe\u0301"),
        ("Uses ﬁsh shell", "uses fish shell"),
    ],
)
def test_these_are_the_same(one: str, other: str) -> None:
    assert rules.summary_hash(one) == rules.summary_hash(other)


@pytest.mark.parametrize("other", ["Lives in Lisbon.", "Does not live in Lisbon", "Lives inLisbon"])
def test_these_are_not(other: str) -> None:
    assert rules.summary_hash("Lives in Lisbon") != rules.summary_hash(other)


def test_the_hash_is_sha_256_of_the_normal_form() -> None:
    # printf 'lives in lisbon' | sha256sum
    known = "0e137167e202c4cff6e4f455927ad2b8fd17966e3cb664889b33abe7d920ac09"
    assert rules.summary_hash(" Lives\tin  LISBON") == known


def test_importance_only_rises() -> None:
    for one, other in product(IMPORTANCES, repeat=2):
        higher = rules.more_important(one, other)
        assert IMPORTANCES.index(higher) == max(IMPORTANCES.index(one), IMPORTANCES.index(other))
