"""Cues in sentences, by the patterns of cues.toml. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, cast

from quipu.kernel.prose.lexicon import beside


def matches(sentence: str, *, section: str, name: str) -> bool:
    """Return True if a sentence has a cue of ``name`` in ``section``."""
    return any(pattern.search(sentence) for pattern in _patterns(section)[name])


def counts(sentences: Sequence[str], *, section: str) -> dict[str, int]:
    """Count, by name, the sentences with a cue of a section; every name is there."""
    return {
        name: sum(any(pattern.search(one) for pattern in patterns) for one in sentences)
        for name, patterns in _patterns(section).items()
    }


def prototypes(section: str) -> list[tuple[str, str]]:
    """Return sentences that stand for the names of a section: (name, sentence)."""
    listed = cast("Mapping[str, Mapping[str, Sequence[str]]]", _data()["prototypes"])[section]
    return [(name, text) for name, texts in listed.items() for text in texts]


@cache
def _patterns(section: str) -> Mapping[str, tuple[re.Pattern[str], ...]]:
    return {
        name: tuple(re.compile(text, re.IGNORECASE) for text in texts)
        for name, texts in _data()[section].items()
    }


@cache
def _data() -> dict[str, dict[str, Any]]:
    return beside(__file__, "cues")
