"""Topics: when one is left, when an old one is taken up again, what it is called."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta

import numpy as np

from quipu.kinds.episodes.conversations.topics import (
    MOST_COUNTED,
    KnownTopic,
    TopicCues,
    centre,
    choose,
    grown,
    moved,
    name_of,
    topical,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
GARDEN = np.array([1.0, 0.0, 0.0], dtype=np.float32)
TAXES = np.array([0.0, 1.0, 0.0], dtype=np.float32)
WORDS = Counter({"roses": 2, "soil": 1, "shade": 1})


def known(number: int, vector: object, words: dict[str, int] | None = None, messages: int = 3) -> KnownTopic:
    return KnownTopic(number, f"t{number}", words or {}, vector, messages, NOON)  # type: ignore[arg-type]


def heard(
    cosine: float, *, to: object = GARDEN, opening: str = "", words: Counter[str] = WORDS, minutes: int = 1
) -> TopicCues:
    rest = np.array([0.0, 0.0, 1.0], dtype=np.float32)
    vector = np.asarray(cosine * np.asarray(to) + np.sqrt(1 - cosine**2) * rest, dtype=np.float32)
    return TopicCues(words, vector, opening, NOON + timedelta(minutes=minutes))


def test_a_topic_goes_on_while_it_is_near_and_is_left_when_it_is_far() -> None:
    assert choose(heard(0.5), known(1, GARDEN), []) == 1
    assert choose(heard(0.05), known(1, GARDEN), []) is None


def test_a_pause_or_a_turn_of_phrase_makes_leaving_easier() -> None:
    near = heard(0.2)
    assert choose(near, known(1, GARDEN), []) == 1
    assert choose(heard(0.2, minutes=45), known(1, GARDEN), []) is None
    assert choose(heard(0.2, opening="By the way, roses?"), known(1, GARDEN), []) is None


def test_a_topic_is_found_again() -> None:
    assert choose(heard(0.6, to=TAXES), known(1, GARDEN), [known(2, TAXES)]) == 2


def test_without_vectors_words_decide() -> None:
    said = TopicCues(Counter({"tomatoes": 1, "pots": 1, "water": 1}), None, "", NOON)
    pots = known(2, None, {"tomato": 3, "pot": 2, "balcony": 1})
    assert choose(said, known(1, None, {"laptop": 2}), [pots]) == 2


def test_what_says_nothing_changes_nothing() -> None:
    thanks = TopicCues(topical("Ok, thanks!"), TAXES, "Ok, thanks!", NOON + timedelta(hours=2))
    assert choose(thanks, known(1, GARDEN), [known(2, TAXES)]) == 1


def test_the_first_exchange_has_a_topic_of_its_own() -> None:
    assert choose(heard(0.9), None, []) is None


def test_a_centre_is_a_unit_vector_that_old_exchanges_leave_slowly() -> None:
    old = moved(known(1, GARDEN, messages=500), TAXES)
    assert old is not None
    assert abs(float(np.linalg.norm(old)) - 1) < 1e-5
    assert 0.9 < float(old @ GARDEN) < 1
    assert float(old @ TAXES) > 0.9 / MOST_COUNTED
    assert centre(np.stack([GARDEN, -GARDEN])) is None


def test_a_topic_is_named_after_its_words() -> None:
    words = topical("How do I prune my roses? The roses grow in deep shade, see https://example.org/shade.")
    assert name_of(words) == "prune-roses-grow"
    assert name_of(words, taken={"prune-roses-grow"}) == "prune-roses-grow-2"
    assert name_of(Counter()) == "small-talk"


def test_people_do_not_name_a_topic_where_anything_else_does() -> None:
    assert name_of(topical("Ana, the boiler leaks again"), besides=["Ana Silva"]) == "boiler-leaks"


def test_secrets_and_function_words_of_other_languages_name_nothing() -> None:
    assert "redacted" not in topical("the token is [redacted:github-token] for the deployment")
    assert "nicht" not in topical("Ich weiß nicht, ob die Heizung noch läuft und was das kostet")


def test_the_words_of_a_topic_are_its_commonest() -> None:
    many = {f"word{n}": n for n in range(100)}
    assert min(grown(many, {"word99": 1}).values()) == 60
