"""Parts of a message that its author does not say: code, quotations, pasted and ordered texts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_BOUND: Final = "qx{}qx"
_KEPT = re.compile(
    r"""`[^`\n]{1,300}` | "[^"\n]{1,400}" | “[^”\n]{1,400}” | «[^»\n]{1,400}»
      | (?<![\w])'(?=[^'\n]{2,200}'(?!\w))[^'\n]*\s[^'\n]*'(?!\w) | https?://[^\s<>)\]]{1,400}""",
    re.VERBOSE,
)
_PLACE = re.compile(r"qx(\d+)qx")

# What follows the colon is somebody's text, or a text to be made: not what its author says of themselves.
_MADE = re.compile(
    r"""(?:^|(?<=[.!?\n]))[^.!?\n]{0,80}?\b
    (?:translat\w+ | proof-?read\w* | (?:fix|correct|improve|check|polish|edit)\b[^.:\n]{0,30}
       \b(?:grammar|spelling|style|wording|text|letter|cv|bio|email|sentences?|paragraph|translation)
     | re-?phrase | re-?word | re-?write | paraphrase | summari[sz]e | continue\ (?:this|the)\ (?:story|text)
     | (?:write|draft|compose|create|generate|make|finish)\b[^.:\n]{0,60}
     | (?:cover\ )?letter\ to\ (?:improve|check|fix) | the\ following | classify | analy[sz]e
     | (?:what|how)\b[^.:\n]{0,40}\b(?:mean|say|translate|sentence|text) )
    \b[^.:\n]{0,60}:\s""",
    re.VERBOSE | re.IGNORECASE,
)


_RHETORICAL = re.compile(r"\b([Mm]y (?:all-time )?fav(?:ou?rite)? [\w ]{2,30})\?(?= [A-Z0-9])")


@dataclass(frozen=True, slots=True)
class Bare:
    """A message whose quotations are words without meaning (``qx0qx``), and what each of them hides."""

    text: str
    hidden: tuple[str, ...]

    def shown(self, text: str) -> str:
        """Return a part of the text with its quotations restored."""
        return _PLACE.sub(lambda match: self.hidden[int(match[1])], text)


def bare(message: str) -> Bare:
    """Return the message up to a text that somebody else is to write, its quotations hidden."""
    made = _MADE.search(message)
    text = message[: made.end()] if made else message
    text = _RHETORICAL.sub(r"\1 is", text)
    hidden: list[str] = []

    def hide(match: re.Match[str]) -> str:
        hidden.append(match[0])
        return _BOUND.format(len(hidden) - 1)

    return Bare(_KEPT.sub(hide, _PLACE.sub("", text)), tuple(hidden))
