"""The text that is searched, and secrets that show by their own form what they are.

These are tokens and keys of services, private keys and phrases: for each sort first its forms, then what
finds it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import takewhile
from typing import Final

from quipu.kernel.redact.forms import FORMS

MARK: Final = "[redacted:"

SHORTEST_TOKEN: Final = 18
_DRAWN = re.compile(r"[0-9_]|A[KS]IA|otpauth")
HEAD_CHARACTERS: Final = 3

# Of each word its first characters, and what follows it where it is shorter; the rest is passed over.
_HEADS = re.compile(r"(?=(.{3}))(?:[A-Za-z0-9+_]++|[^A-Za-z0-9+_\s])\s*+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Secret:
    """Place of a secret in the text: from ``start`` up to, without, ``end``."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True)
class SearchedText:
    """The text that is searched, with its lower-case twin, in which the same letters have the same places."""

    text: str

    @cached_property
    def lower(self) -> str:
        """The text in lower case, of the same length."""
        # The capital dotted I is the one character that becomes longer in lower case.
        return self.text.replace("\u0130", "I").lower()

    @cached_property
    def has_drawn(self) -> bool:
        """True if it has a digit, an underscore or one of two words: no other text has a token."""
        return _DRAWN.search(self.text) is not None

    @cached_property
    def runs(self) -> str:
        """The runs of at least 18 characters without white space, one a line; "" if none can hold a token.

        Tokens are drawn from large alphabets, so a text without a digit and an underscore has none. In prose
        this is mostly empty, which is what makes looking for a hundred kinds of token in it free.
        """
        if not self.has_drawn:
            return ""
        return "\n".join([run for run in self.text.split() if len(run) >= SHORTEST_TOKEN])

    @cached_property
    def heads(self) -> frozenset[str]:
        """The three characters with which each word begins, and each sign that is no part of a word."""
        return frozenset(_HEADS.findall(self.text))

    def hits(self, word: str) -> Iterator[int]:
        """Yield every position of the lower-case word, in any case of letters, without overlap."""
        position = self.lower.find(word)
        while position >= 0:
            yield position
            position = self.lower.find(word, position + len(word))


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


def find_tokens(source: SearchedText) -> Iterator[Secret]:
    """Yield every token of a known form."""
    runs = source.runs
    if not runs:
        return
    for token in dict.fromkeys([token for anchor, token in begun_tokens(source) if anchor in runs]):
        yield from tokens_of(token, source.text)
    for token in UNANCHORED:
        if token.form.search(runs):
            yield from tokens_of(token, source.text)


def begun_tokens(source: SearchedText) -> Iterator[tuple[str, Token]]:
    """Yield the anchors that the text may have, with their tokens: their head begins one of its words."""
    for head in source.heads & _BY_HEAD.keys():
        yield from _BY_HEAD[head]
    yield from _WITHIN


def tokens_of(token: Token, text: str) -> Iterator[Secret]:
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


_PIECES: Final = 6
_SHORTEST_ANCHOR: Final = 4
_LONG_PIECE: Final = 40
_SHORTEST_REST: Final = 12
_PIECE_OF_TOKEN = re.compile(r"[\w.+/=~-]{1,400}+", re.ASCII)
_REST_OF_TOKEN = re.compile(r"[\w.+/~-]{1,400}+=?=?", re.ASCII)

# A continued line; quoted-printable; strings that are put together; line breaks, with what quotes lines.
_CONTINUED = r"\\\r?\n[ \t]{0,40}|(?<==)\r?\n|[\"']\s{0,40}[+.&\\]?\s{0,40}[\"']"
_LINE_BREAK = re.compile(rf"(?P<sure>{_CONTINUED})|(?P<line>(?:\r?\n|\\r\\n|\\n)[ \t>|#*]{{0,40}})")
_DIGIT_AND_LETTER = re.compile(r"(?=.*\d)(?=.*[A-Za-z])")
LEADING: Final = tuple(
    (anchor, token)
    for anchor, token in ANCHORS
    if token.leads and len(anchor) >= _SHORTEST_ANCHOR and not token.ambiguous and token.expression[0] == "("
)
"""Of the tokens that begin with an anchor which seldom stands elsewhere."""

_LEADING_BY_HEAD: Final[defaultdict[str, list[tuple[str, Token]]]] = defaultdict(list)
for _begin, _whole in LEADING:
    _LEADING_BY_HEAD[_begin[:HEAD_CHARACTERS]].append((_begin, _whole))
_BREAK_SIGNS: Final = ("\n", "\\", '" ', "' ", '"+', "'+")
MAY_BREAK: Final = r"[\w.+/=~-]{0,400}[\"'\\\\\r\n]"
"""What follows such an anchor where the token goes on after a break."""


def find_broken_tokens(source: SearchedText) -> Iterator[Secret]:
    """Yield every token that goes on after a line break."""
    text = source.text
    if not source.has_drawn or not any(sign in text for sign in _BREAK_SIGNS):
        return
    for head in source.heads & _LEADING_BY_HEAD.keys():
        for anchor, token in _LEADING_BY_HEAD[head]:
            position = text.find(anchor)
            while position >= 0:
                secret = broken_token_at(text, position, token)
                if secret is not None:
                    yield secret
                position = text.find(anchor, position + len(anchor))


def broken_token_at(text: str, position: int, token: Token) -> Secret | None:
    """Return the token that begins there and goes on after a line break, if one does."""
    piece = _PIECE_OF_TOKEN.match(text, position)
    if piece is None or (position and (text[position - 1].isalnum() or text[position - 1] in "+_")):
        return None
    joined, end = piece[0], piece.end()
    for _ in range(_PIECES):
        joined = joined.removesuffix("=") if text.startswith(("\n", "\r\n"), end) else joined
        cut = _LINE_BREAK.match(text, end)
        rest = _REST_OF_TOKEN.match(text, cut.end()) if cut else None
        if cut is None or rest is None:
            return None
        whole = token.pattern.match(joined) is not None
        goes_on = cut["sure"] is not None if whole else _DIGIT_AND_LETTER.match(rest[0]) is not None
        if not goes_on and not (whole and _is_rest_of_token(text, joined, rest)):
            return None
        joined, end = joined + rest[0], rest.end()
        match = token.pattern.match(joined)
        if match is not None and match.end() > len(joined) - len(rest[0]):
            return Secret(position, end - (len(joined) - match.end()), token.kind)
    return None


def _is_rest_of_token(text: str, joined: str, rest: re.Match[str]) -> bool:
    """Return True if the next line is nothing but the rest of a long token."""
    alone = text[rest.end() : rest.end() + 1] in ("", "\n", "\r", '"', "'", "`", "\\")
    drawn = _DIGIT_AND_LETTER.match(rest[0]) is not None and rest[0].lower() != rest[0] != rest[0].upper()
    return alone and drawn and len(joined) >= _LONG_PIECE and len(rest[0]) >= _SHORTEST_REST


_KEY_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----")

# Line breaks (plain or escaped, once or twice), indentation, and what quotes or continues a line.
_KEY_BREAK = r"(?:\\{1,2}[nrt]|[\s\"'`+>|#*,\\])"
_KEY_HEADER = r"(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset)\s?:[^\n\\]{0,200}"
_KEY_BODY = re.compile(
    rf"(?:{_KEY_BREAK}|{_KEY_HEADER}|[A-Za-z0-9+/=]{{16,}}+|[A-Za-z0-9+/=]{{1,15}}+(?={_KEY_BREAK}{{0,80}}+(?:-----END|=[\w+/]{{4}})))*+"
)
_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_MATERIAL = re.compile(r"[A-Za-z0-9+/=]{16}")


def find_private_keys(source: SearchedText) -> Iterator[Secret]:
    """Yield every private key from its first line to its last; one that was cut off as far as it goes.

    A begin line without key material after it is talk about keys and stays.
    """
    if "PRIVATE KEY" not in source.text:
        return
    position = 0
    while (begin := _KEY_BEGIN.search(source.text, position)) is not None:
        body = _KEY_BODY.match(source.text, begin.end())
        position = body.end() if body else begin.end()
        end = _KEY_END.match(source.text, position)
        if body is None or not _KEY_MATERIAL.search(source.text, *body.span()):
            continue
        position = end.end() if end else begin.end() + len(body[0].rstrip())
        yield Secret(begin.start(), position, "private-key")


PHRASE_WORDS: Final = ("phrase", "mnemonic", "recovery code", "backup code", "setup key")
_SHORTEST_CODES: Final = 8
_DIGITS_OF_CODES: Final = 2
_PHRASE_LENGTHS: Final = frozenset({12, 15, 18, 21, 24})

# The list of BIP 39 has words of three to eight letters and none of these.
_WORDS_OF_PROSE: Final = frozenset(
    {"the", "and", "for", "with", "you", "your", "that", "this", "are", "was", "not", "have", "from", "they"}
)
_PHRASE = re.compile(
    r"(?:\s{1,3}(?:words?|is|was|are)){0,2}(?:\\?[\"'`]|\]){0,2}\s{0,3}[:=]?\s{0,3}(?:\\?[\"'`])?"
    r"(?P<secret>(?:\d{1,2}[.)] ?)?[a-z]{3,8}(?:[ ,\n]{1,3}(?:\d{1,2}[.)] ?)?[a-z]{3,8}){11,23}+)(?![a-z])",
)
_CODES = re.compile(
    r"s?(?:\s{1,3}(?:is|are)|\s{1,3}\(\w{1,16}\))?\s{0,3}[:=]"
    r"(?:(?:[\s,;|*-]|\d{1,2}[.)]){0,8}[a-z0-9]{4,16}(?![a-z0-9])){1,60}+",
    re.IGNORECASE,
)
_CODE_GROUP = re.compile(r"(?<![a-z0-9])[a-z0-9]{4,16}(?![a-z0-9])", re.IGNORECASE)
_PHRASE_WORD = re.compile(r"[a-z]{3,8}")


def find_phrases(source: SearchedText) -> Iterator[Secret]:
    """Yield every seed phrase, and all codes that stand together."""
    for word in PHRASE_WORDS:
        for position in source.hits(word):
            secret = phrase_at(source.text, position + len(word))
            if secret is not None:
                yield secret


def phrase_at(text: str, position: int) -> Secret | None:
    """Return the seed phrase or the codes that follow at a position."""
    match = _PHRASE.match(text, position)
    if match is None:
        return _codes(text, position)
    words = _PHRASE_WORD.findall(match["secret"])
    if len(words) not in _PHRASE_LENGTHS or not _WORDS_OF_PROSE.isdisjoint(words):
        return None
    return Secret(*match.span("secret"), "seed-phrase")


def _codes(text: str, position: int) -> Secret | None:
    """Return the codes that follow at a position: groups of one length with digits in them, not words."""
    match = _CODES.match(text, position)
    if match is None:
        return None
    groups = list(_CODE_GROUP.finditer(text, match.start() + 1, match.end()))
    alike = list(takewhile(lambda group: len(group[0]) == len(groups[0][0]), groups))
    written = "".join(group[0] for group in alike)
    if len(written) < _SHORTEST_CODES or sum(map(str.isdigit, written)) < _DIGITS_OF_CODES:
        return None
    return Secret(alike[0].start(), alike[-1].end(), "recovery-code")
