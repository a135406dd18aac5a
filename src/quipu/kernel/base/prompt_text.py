"""Text that is put in front of a model: nothing in it is invisible, and nothing in it looks like the frame.

A memory is what somebody once said, so it may hold what a model takes for the frame of its conversation: the
tag of a system message, the beginning of another turn, orders in characters that no person sees. What is
stored stays as it was said; `defused` is for what is shown to a model, and defusing twice is defusing once.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# Categories Cc and Cf, and what else takes no place on a screen: fillers, variation selectors, tags.
INVISIBLE: Final = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160"
    "\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\ufff0-\ufffc\ufffe\uffff\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bcaf\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\ud800-\udfff"
)
_KEPT_AS_BREAK: Final = frozenset("\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
_ZWNJ, _ZWJ, _TEXT_STYLE, _EMOJI_STYLE = "\u200c", "\u200d", "\ufe0e", "\ufe0f"
_SOME_INVISIBLE: Final = re.compile(f"\r\n|[{INVISIBLE}]")
_FIRST_JOINING, _LAST_JOINING = 0x0600, 0x1CFF  # Arabic to Vedic: scripts in which letters join

_LESS_THAN: Final = "[<\uff1c\ufe64]"
_TAG: Final = re.compile(
    rf"{_LESS_THAN}(?=[^\s\d=<\uff1c\ufe64-]|[<\uff1c\ufe64]|\s{{1,8}}[/|\uff5c]?\s{{0,8}}[^\W\d][^<>\n]{{0,80}}[>\uff1e])"
)
_BRACKET: Final = re.compile(
    r"(?i)[\[\uff3b](?=\s{0,8}[/\\]?\s{0,8}(?:inst|sys|system|user|human|assistant|bos|eos|gmask|available_tools|"
    r"system_prompt|tool_calls?|tool_results?|tool_content|round \d+)\s{0,8}[\]\uff3d])"
)
_TURN: Final = re.compile(
    r"[ \t>#*_~`]*(?:(?:new|end of) )?(?:system|human|user|assistant|developer|ai|bot|model|tool|function|"
    r"instructions?|response|claude|chatgpt|gpt ?-?\d?)"
    r"(?: (?:prompt|message|reminder|instructions?|turn|result|call|output|input|response))?"
    r"[ \t*_~`]*(?P<colon>:)"
)
_ESCAPED: Final = (("<", "&lt;"), ("[", "&#91;"), (":", "&#58;"))
_COLONS: Final = re.compile("[:\uff1a\ufe55\ufe13\ua789\u2236]")
_LONGEST_HEAD: Final = 60


def defused(text: str) -> str:
    """Return the text without invisible characters, with each sign that would begin a frame escaped.

    Escaped as in HTML are the ``<`` of whatever looks like a tag or a token, the bracket of ``[INST]`` and
    its kind, and the colon of a role that begins a line (``Human:``). Joiners stay, one at a time, where
    letters or pictures need them. Linear time.
    """
    text = without_invisible(text)
    text = _TAG.sub("&lt;", text)
    text = _BRACKET.sub("&#91;", text)
    return "\n".join(map(_without_turn, text.split("\n"))) if _COLONS.search(text) else text


def without_invisible(text: str) -> str:
    """Return the text without invisible characters; joiners stay where letters or pictures need them."""
    if text.isprintable() and text.isascii():
        return text
    return _SOME_INVISIBLE.sub(_shown, text)


def restored(text: str) -> str:
    """Undo the escapes of `defused` in a text that a model wrote."""
    for sign, escaped in _ESCAPED:
        text = text.replace(escaped, sign)
    return text


def _shown(match: re.Match[str]) -> str:
    """Return the replacement for an invisible character: line breaks and needed joiners stay."""
    sign = match[0]
    if sign == "\r\n" or sign in _KEPT_AS_BREAK:
        return "\n"
    text, place = match.string, match.start()
    before = text[place - 1] if place else ""
    if sign in (_ZWJ, _ZWNJ):
        return sign if before and _joins(text, place, before) else ""
    if sign in (_EMOJI_STYLE, _TEXT_STYLE):
        keycap = before and before in "0123456789#*" and text[place + 1 : place + 2] == "\u20e3"
        return sign if keycap or (before and unicodedata.category(before) in ("So", "Sm")) else ""
    return ""


def _joins(text: str, place: int, before: str) -> bool:
    """Return True if a joiner stands in a word of a script that joins letters, or between two pictures."""
    if _FIRST_JOINING <= ord(before) <= _LAST_JOINING:
        return unicodedata.category(before)[0] in "LM" and before not in _FILLERS
    if text[place] == _ZWNJ:
        return False
    if before == _EMOJI_STYLE:
        before = text[place - 2 : place - 1]
    after = text[place + 1 : place + 2]
    pictures = bool(before) and unicodedata.category(before) in ("So", "Sk")
    return pictures and bool(after) and unicodedata.category(after) == "So"


_FILLERS: Final = frozenset("\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f")


def _without_turn(line: str) -> str:
    """Return the line with its first colon escaped if it begins as another turn of the conversation would."""
    colon = _COLONS.search(line, 0, _LONGEST_HEAD)
    if colon is None:
        return line
    head = line[: colon.start()]
    head = (head if head.isascii() else unicodedata.normalize("NFKC", head)).casefold() + ":"
    return line if _TURN.fullmatch(head) is None else f"{line[: colon.start()]}&#58;{line[colon.end() :]}"
