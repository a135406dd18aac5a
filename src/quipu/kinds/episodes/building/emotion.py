"""Emotion of an episode, and how it changed. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quipu.kinds.episodes.building.prototypes import Mood
from quipu.kinds.episodes.shapes import Emotion, Feelings, Intensity, Valence

NAMES: Final = ("joy", "sadness", "fear", "anger", "surprise", "disgust")
_BITTER: Final = ("sadness", "fear", "anger", "disgust")
_FELT: Final = 2.0
"""Of 10; the origin counts what is above it."""

FAINT: Final = 3.0
"""How strong a feeling is that no word says."""

_MEDIUM, _HIGH = 4.0, 7.0
_SWING: Final = 2.0


def emotion(felt: Sequence[Feelings]) -> Emotion:
    """Return the emotion of exchanges in order: the strongest, how pleasant, how strong, and its arc."""
    strongest = {name: max((float(getattr(one, name)) for one in felt), default=0.0) for name in NAMES}
    name = max(NAMES, key=lambda name: strongest[name])
    if strongest[name] <= _FELT:
        return Emotion(type="neutral", valence="neutral", intensity="low", arc="steady")
    return Emotion(
        type=name, valence=_valence(strongest), intensity=_intensity(strongest[name]), arc=arc(felt)
    )


def with_moods(felt: Sequence[Feelings], moods: Sequence[Sequence[Mood]]) -> list[Feelings]:
    """Fill in feelings where words say nothing, from what the sentences mean, faintly, if they agree."""
    return [
        Feelings.model_validate({told[0]: FAINT, "confidence": FAINT})
        if len({mood == "joy" for mood in told}) == 1 and not _is_felt(one)
        else one
        for one, told in zip(felt, moods, strict=True)
    ]


def strength(felt: Sequence[Feelings]) -> float:
    """Return the strength of the emotion in an episode, 0 to 1.

    Half by its strongest feeling, a third by the average of each exchange's strongest, the rest by how far
    the mood swung.
    """
    if not felt:
        return 0.0
    peaks = [max(float(getattr(one, name)) for name in NAMES) for one in felt]
    moods = [mood(one) for one in felt]
    swing = min(10.0, max(moods) - min(moods))
    return min(1.0, (0.5 * max(peaks) + 0.3 * _mean(peaks) + 0.2 * swing) / 10)


def mood(one: Feelings) -> float:
    """Return the pleasantness of an episode, -10 to 10."""
    return one.joy - max(float(getattr(one, name)) for name in _BITTER)


def arc(felt: Sequence[Feelings]) -> str:
    """Return the course of the mood over the turns: steady, rising, falling, or with a turn in between."""
    moods = [mood(one) for one in felt]
    if len(moods) < 2:
        return "steady"
    third = max(1, len(moods) // 3)
    begins, ends = _mean(moods[:third]), _mean(moods[-third:])
    middle = moods[third:-third] or [begins]
    if max(middle) - max(begins, ends) > _SWING:
        return "rises in the middle and falls again"
    if min(begins, ends) - min(middle) > _SWING:
        return "falls in the middle and rises again"
    if abs(ends - begins) <= _SWING:
        return "steady"
    direction = "rises" if ends > begins else "falls"
    before, after = _word(begins), _word(ends)
    return f"{direction}, {after} throughout" if before == after else f"{direction} from {before} to {after}"


def _is_felt(one: Feelings) -> bool:
    return any(float(getattr(one, name)) > _FELT for name in NAMES)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _word(value: float) -> str:
    return "pleasant" if value > _FELT else "unpleasant" if value < -_FELT else "neutral"


def _valence(strongest: dict[str, float]) -> Valence:
    sweet, bitter = strongest["joy"] > _FELT, max(strongest[name] for name in _BITTER) > _FELT
    if sweet and bitter:
        return "mixed"
    return "positive" if sweet else "negative" if bitter else "neutral"


def _intensity(value: float) -> Intensity:
    return "high" if value >= _HIGH else "medium" if value >= _MEDIUM else "low"
