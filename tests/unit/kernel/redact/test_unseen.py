"""Texts of 2026 that were written before the rules that find them were: with secrets, and without."""

import pytest

from conftest import Case, read_corpus
from quipu.kernel.redact import redact
from quipu.kernel.redact.many import redact_many

POSITIVES = [*read_corpus("unseen_positives.txt"), *read_corpus("pasted_positives.txt")]
NEGATIVES = [*read_corpus("unseen_negatives.txt"), *read_corpus("pasted_negatives.txt")]
_SEEN = 10
"""So many characters of a secret in a row count as the secret."""


@pytest.mark.parametrize("case", POSITIVES, ids=lambda case: case.name)
def test_a_secret_goes_and_what_stands_around_it_stays(case: Case) -> None:
    found = redact(case.text)
    for secret in case.secrets:
        parts = [secret[at : at + _SEEN] for at in range(max(1, len(secret) - _SEEN + 1))]
        assert not [part for part in parts if part in found.text]
    assert [part for part in case.frame if part.strip() and part not in found.text] == []
    assert redact(found.text).counts == {}


@pytest.mark.parametrize("case", NEGATIVES, ids=lambda case: case.name)
def test_what_holds_no_secret_stays_as_it_is(case: Case) -> None:
    assert redact(case.text).text == case.text


def test_many_texts_lose_what_each_would_lose_alone() -> None:
    texts = [case.text for case in (*POSITIVES, *NEGATIVES)]
    alone = {place: redact(text) for place, text in enumerate(texts)}
    assert redact_many(texts) == {place: found for place, found in alone.items() if found.counts}


def test_there_are_enough_of_both() -> None:
    assert len(POSITIVES) >= 180
    assert len(NEGATIVES) >= 160
