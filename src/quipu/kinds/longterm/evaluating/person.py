"""Rewriting of a person's words about themselves: "I'm a nurse" becomes "the user is a nurse"."""

from __future__ import annotations

import re
from typing import Final

from quipu.kernel.prose.verbs import conjugated

_SPELLED: Final = {
    "im": "I'm", "ive": "I've", "dont": "don't", "doesnt": "doesn't", "didnt": "didn't", "isnt": "isn't",
    "cant": "can't", "wont": "won't", "thats": "that's", "whats": "what's", "lets": "let's",
    "fav": "favourite", "favorite": "favourite", "favorites": "favourites", "u": "you", "ur": "your",
    "pls": "please", "plz": "please", "gonna": "going to", "wanna": "want to", "anymore": "any more",
    "mum": "mum", "weve": "we've", "theres": "there's", "i": "I",
}  # fmt: skip
_I = re.compile(r"(?<![\w'.@/-])i(?=')")
_WORD = re.compile(r"(?<![\w'.@/-])[A-Za-z]+(?![\w'@/]|\.\w)")
_SUBJECT = re.compile(r"(?<![\w'.@/-])(?:I|[Ww]e)(?='|\s+[a-z'])")
_TOGETHER = re.compile(r"^(?:my|our|the user's)\s[\w\s]{1,40}\sand\s$", re.IGNORECASE)
_OTHERS: Final = (
    (re.compile(r"(?<![\w'.@/-])(?:my|our)(?= own\b)", re.IGNORECASE), "the user's"),
    (re.compile(r"(?<![\w'.@/-])(?:my|mine|our|ours)(?![\w'@/-])", re.IGNORECASE), "the user's"),
    (re.compile(r"^(?=(?:Dad|Mom|Mum|Mama|Papa|Grandma|Grandpa|Granny)\s)"), "the user's "),
    (re.compile(r"(?<![\w'.@/-])(?:me|us|I)(?![\w'@/-])"), "the user"),
    (re.compile(r"(?<![\w'.@/-])(?:your)(?![\w'@/-])", re.IGNORECASE), "the assistant's"),
)


_NOT = re.compile(r"\b(is|are|was|were|does|do|did|has|have|would|could|should)n't\b", re.IGNORECASE)
_IS = re.compile(
    r"(\bthe user's [\w ]{2,25})'s (?=an? |the |not |in |from |always |so |very |really |\w+ing\b)"
)


def spelled(text: str) -> str:
    """Return the text with straight apostrophes, single spaces, and usual spelling where it matters."""
    plain = _I.sub("I", " ".join(text.replace("’", "'").split()))
    return _WORD.sub(lambda match: _SPELLED.get(match[0].lower(), match[0]), plain)


def third(text: str) -> str:
    """Return the spelled text in the third person: I and we are the user, my and our the user's."""
    for match in reversed(list(_SUBJECT.finditer(text))):
        before, rest = text[: match.start()], text[match.end() :]
        text = f"{before}the user{rest if _TOGETHER.match(before) else conjugated(rest)}"
    for pattern, name in _OTHERS:
        text = pattern.sub(name, text)
    return _NOT.sub(r"\1 not", _IS.sub(r"\1 is ", text))


def sentence(text: str) -> str:
    """Return the text with a capital at its beginning and one mark at its end."""
    text = " ".join(text.split()).rstrip(" ,;:-.!?")
    return f"{text[0].upper()}{text[1:]}." if text else ""
