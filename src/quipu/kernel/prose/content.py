"""The words of a text that matter, as stems."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_WORD = re.compile(r"[^\W_][\w'+.@-]*[\w+]|[^\W_]")
_EMPTY: Final = frozenset((
    "a", "an", "the", "of", "is", "are", "be", "was", "were", "been", "to", "that", "this", "in", "at",
    "on", "for", "with", "and", "or", "by", "as", "it", "its", "user", "user's", "users", "very", "really",
    "also", "just", "so", "too", "has", "have", "had", "does", "do", "did", "my", "i", "me", "we", "our",
    "not", "no", "from", "about", "his", "her", "their", "now", "currently", "always", "usually",
    "assistant", "wants", "want", "called", "named", "name", "likes", "like", "loves", "love", "enjoys",
    "enjoy", "lives", "live", "works", "work", "i'm", "i've", "your", "you", "any", "more", "most", "some",
    "than", "there", "will", "would", "can", "cannot", "old", "years", "year", "she", "he", "they", "them",
    "what", "when", "who", "which", "who's", "everything", "anything", "all", "know", "told", "said",
    "memory", "memories", "us", "am", "being", "over", "into", "out", "up", "one", "got", "get", "gets",
    "if", "but", "because", "longer",
))  # fmt: skip


def content(text: str) -> frozenset[str]:
    """Return the stems of a text's meaningful words; if it has none, all its words."""
    return frozenset(stems(text)) or frozenset(_words(text))


def stems(text: str) -> list[str]:
    """Return the stems of a text's meaningful words, in their order."""
    return [stem(word) for word in _words(text) if word not in _EMPTY]


def _words(text: str) -> list[str]:
    return [word.lower().removesuffix("'s") for word in _WORD.findall(text.replace("’", "'"))]


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Return the word without the endings of number and person."""
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            cut = word[: -len(ending)]
            return (
                cut[:-1]
                if len(cut) > 3 and cut[-1] == cut[-2] and ending in ("ing", "ed")
                else cut.removesuffix("e")
            )
    return word.removesuffix("e") if len(word) > 3 else word
