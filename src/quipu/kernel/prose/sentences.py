"""The sentences of a message's prose; code, quotations and addresses in them stay whole and unread."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

LONGEST: Final = 400
"""Characters. A longer sentence is not judged: it is a list, a dump or a document."""

SPEECH: Final = r"(?<!\w)'(?=\w)(?=[^\s'’]*(?:['’]\w+)?\s)(?:[^'’\n]|(?<=\w)['’](?=\w)){2,400}'(?!\w)"
"""What somebody says in single quotes, apostrophes in it and all: two words or more."""

_UNREAD = re.compile(
    r"""`[^`\n]{1,300}` | "[^"\n]{2,400}" | “[^”\n]{2,400}” | «[^»\n]{2,400}» | „[^“”"\n]{2,400}[“”"] | https?://[^\s<>)\]]{1,400}
      | <!--.{0,400}?--> | """
    + SPEECH,
    re.VERBOSE,
)
_END = re.compile(r"[.!?]+[)\]'\"]*(?=\s|$)")
_SHORT = re.compile(r"(?i)(?:^|[\s(])(?:e\.g|i\.e|etc|vs|approx|incl|resp|no|nr|cf|al|v|st|dr|mr|mrs|ms)$")
_DAY = re.compile(r"(?<!\d)\d{1,2}$")
_GERMAN_MONTH = re.compile(
    r"(?i)\. (?:januar|jänner|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)\b"
)
_WORD = re.compile(r"[^\W\d_]")


LONGEST_PROSE: Final = 6_000
"""Characters. Who says more in one message has pasted a document."""

_LONGEST_LINE: Final = 4_000
_HEADINGS_OF_A_DOCUMENT: Final = 2
_FENCE = re.compile(r" {0,3}(```|~~~)")
_INDENTED = re.compile(r"(?: {4}|\t)\S")
_LISTED = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_HEADING = re.compile(r"#{1,6} \S")

# A line that a machine wrote, or that was copied out of a file.
_MACHINE = re.compile(
    r"""
    \s*\[?\d{4}[-/]\d\d[-/]\d\d[T\ ]\d\d:\d\d                         # a time stamp
  | \s*\[?\d\d:\d\d:\d\d
  | \s*\[?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|CRITICAL|FAILED|PASSED)\b
  | \s*(?:error|warning|note|hint|help|info)(?:\[\w+\])?:\s
  | (?:Hint|Warning|Error|Note):\s.*[`'"]
  | Note:\s
  | \s*npm\ (?:WARN|ERR!|warn|error)
  | \s*(?:Traceback\ \(|File\ "|at\ [\w$.<>]{1,200}\ ?\(|Caused\ by:|panicked\ at|thread\ ')
  | \w{0,80}(?:Error|Exception|Warning):\s
  | \s*-->\s | \s*\d{0,6}\s*\|\s
  | [$%]\ \S | \w{1,40}@[\w-]{1,60}[:~]
  | \w{1,40}:\ (?:\*\*\*|command\ not\ found|cannot\ |fatal|error)
  | (?:diff\ --git|index\ [0-9a-f]{7}|@@\ |\+\+\+\ |---\ )
  | [+-]\ {2,}\S | [+-][\w#@}{)(]
  | \s*(?:import|from|const|let|var|def|class|function|return|public|private|static|fn|func|package|using
       |include)\ [^.!?]{0,200}[;{}()=:]
  | \s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP)\ .{0,400}
  | \s*(?:<!--|</?\w|//|/\*|\*/|\#!|\#\ |\#include)
  | \s*[\w.\[\]"']{1,80}\ *(?:=|:=|=>|->)\ *\S
  | .{0,400}[;{}]\s*$
  | \s*\|.{0,400}\|\s*$
    """,
    re.VERBOSE,
)

# What follows was written by somebody else, or for somebody else.
_PASTED = re.compile(
    r"""
    \b(?:proof-?read|translate|summari[sz]e|rephrase|reword|paraphrase|polish|spell-?check
      |make\ (?:this|the)\ (?:\w+\ )?(?:paragraph|text|email|letter|sentence|bio|post))\b .{0,120}:
  | \b(?:here(?:'s|\ is|\ are)|below\ (?:is|are)|this\ is|attached\ is|the\ following\ is|i\ got|pasting)\b
    .{0,40} \b(?:e?-?mails?|messages?|ticket|issue|spec(?:ification)?|requirements?|document|text|article
        |readme|letter|story|(?:job\ )?ad|posts?|review|transcript|comment|feedback|brief)\b
    .{0,80} (?:[:.]\s*$|:)
  | \b(?:pasting|pasted|copied|copy-?pasted|found\ this|saw\ this|read\ this
        |this\ (?:article|essay|column|post)
        |from\ the\ (?:paper|newspaper|guardian|times|blog|newsletter|magazine))\b [^\n]{0,120} $
  | \b(?:improve|fix|correct|check|review|edit|rework)\ (?:the\ |my\ )?
    (?:wording|grammar|spelling|style|tone|english|translation)\b .{0,80}:
  | \bfrom\ the\ (?:[\w-]+\ ){0,2}(?:docs|documentation|style\ guide|readme|wiki|spec|ticket|article|email)
    \s*:
    """,
    re.VERBOSE | re.IGNORECASE,
)

# The head of a mail: two of its lines, one below the other. What follows was written by somebody else.
_MAIL = re.compile(
    r"[ \t]*(?:from|von|de|subject|betreff|asunto):[^\n]+\n\s*"
    r"(?:from|to|cc|date|sent|subject|von|an|datum|gesendet|betreff|de|para|fecha|enviado|asunto):",
    re.IGNORECASE,
)

# The head of a letter, below something else: what follows it was written by somebody else.
_LETTER = re.compile(
    r"\s*(?:dear|hello|hi|hey|liebe[rs]?|hallo|sehr geehrte[rs]?"
    r"|guten tag|moin|servus|grüß|hola|querid[oa]s?|estimad[oa]s?)\b[^\n.!?]{1,60}[,!]\s*$",
    re.IGNORECASE,
)


def prose(text: str) -> list[tuple[int, int]]:
    """Return the places of the paragraphs of prose: (start, end), in order. A list item is a paragraph, too.

    Linear in the length of the text. Empty for a text that is a document rather than something said.
    """
    places = list(_paragraphs(text))
    characters = sum(end - start for start, end in places)
    headings = sum(1 for line in text.splitlines() if _HEADING.match(line))
    if characters > LONGEST_PROSE or (headings >= _HEADINGS_OF_A_DOCUMENT and len(text) > LONGEST_PROSE // 4):
        return []
    return places


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    start: int | None = None
    end = 0
    for begin, stop, line in _spoken(text):
        blank, item = not line.strip(), _LISTED.match(line)
        if start is not None and (blank or item or begin > end + 1 or not _goes_on(text, end, line)):
            yield start, end
            start = None
        if blank:
            continue
        if start is None:
            start = begin + (item.end() if item else len(line) - len(line.lstrip()))
        end = stop
    if start is not None:
        yield start, end


def _goes_on(text: str, end: int, line: str) -> bool:
    """Return True if a line continues a sentence that the line before broke off for lack of room."""
    before = text[max(0, end - 60) : end]
    return "\n" not in before and len(before) == 60 and before[-1] not in ".!?:;" and line[:1].islower()


def _spoken(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and text of the lines that their author wrote as prose, blank ones among them."""
    fence: str | None = None
    after_blank, at = True, 0
    for whole in text.splitlines(keepends=True):
        line = whole.rstrip("\r\n")
        begin, at = at, at + len(whole)
        if _MAIL.match(text, begin) or (_LETTER.match(line) and text[:begin].strip()):
            return
        mark = _FENCE.match(line)
        if mark:
            fence = None if fence == mark[1] else fence or mark[1]
        elif fence is None and not _copied(line, after_blank=after_blank):
            pasted = _PASTED.search(line[:_LONGEST_LINE])
            yield begin, begin + len(line), line
            if pasted:
                return
        after_blank = not line.strip()


def _copied(line: str, *, after_blank: bool) -> bool:
    if not line:
        return False
    if len(line) > _LONGEST_LINE or line.lstrip().startswith(">"):
        return True
    if _INDENTED.match(line) and after_blank and not _LISTED.match(line):
        return True
    return _MACHINE.match(line) is not None


@dataclass(frozen=True, slots=True)
class Sentence:
    """``text`` is ``message[start:end]``; ``seen`` the same with what must not be judged as ``x``."""

    start: int
    end: int
    text: str
    seen: str


def sentences(message: str) -> list[Sentence]:
    """Return the sentences of the prose in a message, in order. Linear in its length."""
    seen = _UNREAD.sub(hidden, message)
    return [_sentence(message, seen, start, end) for start, end in _ranges(seen, prose(message))]


def hidden(match: re.Match[str]) -> str:
    """Return as many letters as a match has: what is not read stays in its place."""
    return "x" * len(match[0])


def _sentence(message: str, seen: str, start: int, end: int) -> Sentence:
    return Sentence(start, end, message[start:end], seen[start:end])


def _ranges(seen: str, paragraphs: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for begin, stop in paragraphs:
        start = begin
        for mark in _END.finditer(seen, begin, stop):
            if _abbreviates(seen, mark):
                continue
            yield from _trimmed(seen, start, mark.end())
            start = mark.end()
        yield from _trimmed(seen, start, stop)


def _abbreviates(seen: str, mark: re.Match[str]) -> bool:
    if mark[0] != ".":
        return False
    start = max(0, mark.start() - 8)
    if _GERMAN_MONTH.match(seen, mark.start()) and _DAY.search(seen, start, mark.start()):
        return True
    return _SHORT.search(seen, start, mark.start()) is not None


def _trimmed(seen: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the range without white space at its ends, if it has a word and is not too long."""
    part = seen[start:end]
    start, end = start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())
    if 0 < end - start <= LONGEST and _WORD.search(seen, start, end):
        yield start, end
