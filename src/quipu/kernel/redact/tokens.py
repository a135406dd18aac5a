"""Secrets that show by their own form what they are: the tokens and keys of well-known services."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from quipu.kernel.redact.forms import FORMS
from quipu.kernel.redact.model import HEAD_CHARACTERS, Secret, Source


@dataclass(frozen=True, slots=True)
class Token:
    """One kind of token; the group ``secret`` of the expression is what goes.

    It is compiled when a text holds its beginning: most never are, and all of them cost every start 15 ms.
    """

    kind: str
    expression: str
    ambiguous: bool = False

    @property
    def form(self) -> re.Pattern[str]:
        """The expression without what must stand around it, which is found sooner."""
        return _compiled(self.expression.removeprefix(_NOT_WITHIN))

    @property
    def pattern(self) -> re.Pattern[str]:
        """The expression, compiled."""
        return _compiled(self.expression)

    @property
    def leads(self) -> bool:
        """True if the token begins with its anchor."""
        return not self.expression.startswith(_NOT_WITHIN + "(?P<secret>[")


_NOT_WITHIN: Final = "(?<![A-Za-z0-9+_])"


@cache
def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(expression, re.ASCII)


# A token begins where no word is under way (the prefix in the base64 of a picture is none) and matches one
# class of characters up to where a word ends, so that a search is linear.
def _alone(form: str) -> str:
    return rf"{_NOT_WITHIN}(?P<secret>{form})(?!\w)"


def _marked(form: str) -> str:
    return form if "(?P<secret>" in form else f"(?P<secret>{form})"


ANCHORS: Final = (
    *(
        (anchor, Token(each.kind, _alone(each.form), each.ambiguous))
        for each in FORMS.tokens
        for anchor in each.anchors
    ),
    *(
        (anchor, Token(each.kind, re.escape(anchor) + _marked(each.form)))
        for each in FORMS.following
        for anchor in each.anchors
    ),
)
"""What a text with a token has, and which token that is."""

_BY_HEAD: Final[defaultdict[str, list[tuple[str, Token]]]] = defaultdict(list)
_WITHIN: Final[list[tuple[str, Token]]] = []
for _anchor, _token in ANCHORS:
    # An anchor of two characters is one of a form that goes on with others: it has no head of its own.
    _leads = _token.leads and _token.expression.startswith(_NOT_WITHIN) and len(_anchor) >= HEAD_CHARACTERS
    (_BY_HEAD[_anchor[:HEAD_CHARACTERS]] if _leads else _WITHIN).append((_anchor, _token))

UNANCHORED: Final = tuple(Token(each.kind, _alone(each.form)) for each in FORMS.unanchored)
"""Tokens that no word tells."""

# What documentation writes for a key: a run of the same letter, or the word that ends the examples of AWS.
_MASK = re.compile(r"^\[redacted|[xX*]{8}|(.)\1{11}|EXAMPLE$")
_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=_-])")
_AWS_SECRET_WITHIN: Final = 200


def find(source: Source) -> Iterator[Secret]:
    """Yield every token of a known form."""
    runs = source.runs
    if not runs:
        return
    for token in dict.fromkeys([token for anchor, token in begun(source) if anchor in runs]):
        yield from found(token, source.text)
    for token in UNANCHORED:
        if token.form.search(runs):
            yield from found(token, source.text)


def begun(source: Source) -> Iterator[tuple[str, Token]]:
    """Yield the anchors that the text may have, with their tokens: their head begins one of its words."""
    for head in source.heads & _BY_HEAD.keys():
        yield from _BY_HEAD[head]
    yield from _WITHIN


def found(token: Token, text: str) -> Iterator[Secret]:
    """Yield every token of one kind."""
    for match in token.pattern.finditer(text):
        if not _MASK.search(match["secret"]):
            yield Secret(*match.span("secret"), token.kind)
        if token.kind == "aws-key":
            yield from _aws_secret(text, match.end())


def _aws_secret(text: str, position: int) -> Iterator[Secret]:
    """Yield the secret half of a pair, without a form of its own: 40 mixed characters soon after the key."""
    match = _AWS_SECRET.search(text, position, position + _AWS_SECRET_WITHIN)
    if match and not match[0].isalpha() and match[0].lower() != match[0] != match[0].upper():
        yield Secret(*match.span(), "aws-secret")
