"""Secrets that show by their own form what they are: the tokens and keys of well-known services."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from quipu.kernel.redact.forms import FORMS, FORMS_AFTER
from quipu.kernel.redact.model import Secret, Source


@dataclass(frozen=True, slots=True)
class Token:
    """One kind of token; the group ``secret`` of the expression is what goes.

    It is compiled when a text holds its beginning: most never are, and all of them cost every start 15 ms.
    """

    kind: str
    expression: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """The expression, compiled."""
        return _compiled(self.expression)

    @property
    def leads(self) -> bool:
        """Whether the anchor is what it begins with."""
        return not self.expression.startswith(_NOT_WITHIN + "(?P<secret>[")


_NOT_WITHIN: Final = "(?<![A-Za-z0-9+_])"


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.ASCII)


# A token begins where no word is under way (the prefix in the base64 of a picture is none) and matches one
# class of characters up to where a word ends, so that a search is linear.
_TOKENS: Final = (
    *(Token(kind, rf"{_NOT_WITHIN}(?P<secret>{form})(?!\w)") for kind, _, form in FORMS),
    *(Token(kind, rf"{re.escape(anchor)}(?P<secret>{form})") for kind, anchor, form in FORMS_AFTER),
)
ANCHORS: Final = tuple(
    (anchor, _TOKENS[index])
    for index, (_, anchors, _) in enumerate((*FORMS, *FORMS_AFTER))
    for anchor in anchors.split()
)
"""What a text with a token has, and which token that is."""

# What documentation writes for a key: a run of the same letter, or the word that ends the examples of AWS.
_MASK = re.compile(r"[xX*]{8}|(.)\1{11}|EXAMPLE$")
_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=_-])")
_AWS_SECRET_WITHIN: Final = 200


def find(source: Source) -> Iterator[Secret]:
    """Every token of a known form."""
    runs = source.runs
    if not runs:
        return
    for token in dict.fromkeys([token for anchor, token in ANCHORS if anchor in runs]):
        for match in token.pattern.finditer(source.text):
            if not _MASK.search(match["secret"]):
                yield Secret(*match.span("secret"), token.kind)
            if token.kind == "aws-key":
                yield from _aws_secret(source.text, match.end())


def _aws_secret(text: str, position: int) -> Iterator[Secret]:
    """The secret half of a pair, which has no form of its own: 40 mixed characters soon after the key."""
    match = _AWS_SECRET.search(text, position, position + _AWS_SECRET_WITHIN)
    if match and not match[0].isalpha() and match[0].lower() != match[0] != match[0].upper():
        yield Secret(*match.span(), "aws-secret")
