"""News from one page to the next ("Forgotten."), in a cookie that is read once."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Final, Literal

import orjson

KEEP_SECONDS: Final = 60
COOKIE: Final = "quipu_said"
_MOST_CHARACTERS: Final = 500

Tone = Literal["good", "bad"]


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence for the reader, and whether it is good news."""

    text: str
    tone: Tone = "good"

    def cookie(self) -> str:
        """Return the news as the value of a cookie; a long sentence is cut."""
        text = (
            self.text
            if len(self.text) <= _MOST_CHARACTERS
            else f"{self.text[: _MOST_CHARACTERS - 1].rstrip()}…"
        )
        return base64.urlsafe_b64encode(orjson.dumps([self.tone, text])).decode("ascii")


def read(cookie: str | None) -> Said | None:
    """Read the news from a cookie; None if there is none, or it is not ours."""
    if not cookie:
        return None
    try:
        tone, text = orjson.loads(base64.urlsafe_b64decode(cookie))
    except (binascii.Error, ValueError, TypeError):
        return None
    if not isinstance(text, str):
        return None
    return Said(text[:_MOST_CHARACTERS], "bad" if tone == "bad" else "good")
