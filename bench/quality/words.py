"""The terms of a text for the BM25 baseline: stemmed words, character pairs where words have no borders."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import Stemmer

# Scripts written without spaces: Thai, Lao, Khmer, kana, Han.
_BORDERLESS = "\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_RUNS = re.compile(rf"[{_BORDERLESS}]+|[^\W_{_BORDERLESS}]+")
_IS_BORDERLESS = re.compile(rf"[{_BORDERLESS}]")

_STOP_WORDS = Path(__file__).resolve().parent / "stopwords"


@lru_cache(maxsize=8)
def _stop_words(language: str) -> frozenset[str]:
    path = _STOP_WORDS / f"{language}.txt"
    return frozenset(path.read_text(encoding="utf-8").split()) if path.exists() else frozenset()


@lru_cache(maxsize=8)
def _stemmer(language: str) -> Stemmer.Stemmer | None:
    return Stemmer.Stemmer(language) if language in Stemmer.algorithms() else None


def terms(text: str, language: str) -> list[str]:
    """The terms in the order of the text, repetitions kept."""
    stop = _stop_words(language)
    stemmer = _stemmer(language)
    found: list[str] = []
    for run in _RUNS.findall(unicodedata.normalize("NFKC", text).lower()):
        if _IS_BORDERLESS.match(run):
            found.extend(a + b for a, b in pairwise(run)) if len(run) > 1 else found.append(run)
        elif run not in stop:
            found.append(stemmer.stemWord(run) if stemmer else run)
    return found
