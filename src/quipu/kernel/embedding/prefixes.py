"""Words that some models expect before a text: one before a question, another before what is searched."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Role: TypeAlias = Literal["passage", "query"]
"""What a text is to the search: something stored, or a question that searches for it."""


@dataclass(frozen=True, slots=True)
class Prefixes:
    """Words to put before a question and before what is searched; most models expect none."""

    query: str = ""
    passage: str = ""

    def of(self, role: Role) -> str:
        """Return the prefix of a text in that role."""
        return self.query if role == "query" else self.passage


NO_PREFIXES: Final = Prefixes()

_SEARCHING: Final = "Represent this sentence for searching relevant passages: "

PUBLISHED: Final = (
    # e5 (intfloat/e5-*, multilingual-e5-*); its "instruct" models take a task instead
    (r"\be5\b(?!.*instruct|-mistral)", Prefixes("query: ", "passage: ")),
    # bge (BAAI/bge-*-en, bge-*-zh and their v1.5); bge-m3 expects nothing
    (r"\bbge-\w+-en\b", Prefixes(query=_SEARCHING)),
    (r"\bbge-\w+-zh\b", Prefixes(query="为这个句子生成表示以用于检索相关文章：")),
    (r"\bnomic-embed\b", Prefixes("search_query: ", "search_document: ")),
    # gte (thenlper/gte-*) was trained without any
    (r"\bgte\b", NO_PREFIXES),
    (r"\barctic-embed\b.*v2", Prefixes(query="query: ")),
    (r"\barctic-embed\b|\bmxbai-embed\b", Prefixes(query=_SEARCHING)),
)
"""What the makers of families of models say is to be put before texts, by their names; the first fits."""


def published(*names: str) -> Prefixes:
    """Return the published prefixes of the family that one of a model's names belongs to, or none."""
    for pattern, prefixes in PUBLISHED:
        if any(re.search(pattern, name.casefold().replace("_", "-")) for name in names):
            return prefixes
    return NO_PREFIXES
