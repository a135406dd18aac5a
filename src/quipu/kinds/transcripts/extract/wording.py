"""A sentence as the patterns read it: lower case, usual spelling, without the words that only lead in."""

from __future__ import annotations

import re
from typing import Final

_SPELLED: Final = {
    "dont": "don't", "doesnt": "doesn't", "didnt": "didn't", "isnt": "isn't", "arent": "aren't",
    "wasnt": "wasn't", "cant": "can't", "wont": "won't", "shouldnt": "shouldn't", "couldnt": "couldn't",
    "havent": "haven't", "hasnt": "hasn't", "im": "i'm", "ive": "i've", "youre": "you're",
    "youve": "you've", "theyre": "they're", "thats": "that's", "whats": "what's", "lets": "let's",
    "weve": "we've", "theres": "there's", "pls": "please", "plz": "please", "u": "you", "alway": "always",
    "allways": "always", "nver": "never", "prefere": "prefer", "preffer": "prefer", "usualy": "usually",
    "everytime": "every time", "wanna": "want to", "gonna": "going to", "gotta": "have to", "bc": "because",
    "shoud": "should", "shoudl": "should", "cannot": "can't",
}  # fmt: skip
_WORD = re.compile(r"[a-z]+")
_SPACE = re.compile(r"\s+")
_LEAD = re.compile(
    r"""(?:
        (?:and|but|also|plus|so|fyi|btw|by\ the\ way|note(?:\ that)?|please|for\ context
          |for\ your\ information
          |keep\ in\ mind(?:\ that)?|be\ aware(?:\ that)?|just\ so\ you\ know|for\ the\ record|in\ general
          |generally|ok(?:ay)?|well|hm+|ah|oh|uh|um|tbh|honestly|fwiw|i\ think(?:\ that)?|remember\ that
          |also\ note(?:\ that)?|as\ a\ reminder|besides|the\ thing\ is(?:\ that)?)\b[\s,:;.!-]*
      | (?:ok|k|thanks?(?:\ (?:you|a\ lot))?|thx|great(?:\ work|\ job)?|good(?:\ job)?|nice|cool|perfect|hey
          |hi
          |right|yes|yeah|yep|sure|one\ (?:more\ )?thing|remember|reminder|context|rule|important|careful
          |heads[ -]up|ps|then|first|looks\ good|lgtm|makes\ sense|got\ it|alright|listen
          |for\ what\ it's\ worth)\s*[,:;.!-]+\s*
    )+""",
    re.VERBOSE,
)


def read(seen: str) -> str:
    """Return the sentence for the patterns: lower case, straight apostrophes, misspellings corrected."""
    text = _SPACE.sub(" ", seen.lower().replace("’", "'").replace("`", "'"))
    return _WORD.sub(lambda match: _SPELLED.get(match[0], match[0]), text).strip()


def lead(text: str) -> int:
    """Count the characters of the lead-in, in a text as it was written."""
    match = _LEAD.match(text.lower().replace("\u0130", "i").replace("’", "'"))
    return 0 if match is None or match.end() == len(text) else match.end()


def led(text: str) -> str:
    """Return the sentence without its lead-in: "ok, fyi: we use x" is "we use x"."""
    return text[lead(text) :]
