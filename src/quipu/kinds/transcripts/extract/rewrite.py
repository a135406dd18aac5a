"""A sentence of a session as a fact that can be understood without the session."""

from __future__ import annotations

import re
from typing import Final

from quipu.kernel.prose.verbs import conjugated
from quipu.kinds.transcripts.extract.rules import lead

_HIDDEN = re.compile(r"`[^`\n]{1,300}`|\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|https?://\S{1,400}")
_PERSON = re.compile(r"(?<![\w'’/.-])(I|we|you)(?=['’](?:m|re|ve|ll|d)\b|\s+[a-z'’]+)(?![/-])", re.IGNORECASE)
_OBJECTS: Final = (
    (re.compile(r"(?<![\w'’/.-])(my|mine)\b(?![/.-]\w)", re.IGNORECASE), "the user's"),
    (re.compile(r"(?<![\w'’/.-])(me|I)\b(?![/.-]\w)"), "the user"),
    (re.compile(r"(?<![\w'’/.-])(our|ours)\b(?![/.-]\w)", re.IGNORECASE), "the team's"),
    (re.compile(r"(?<![\w'’/.-])us\b(?![/.-]\w)"), "the team"),
)
_LETS = re.compile(r"^let['’]?s\s+", re.IGNORECASE)
_HERE = re.compile(r"(?i)\b(this|that|the current)\s+(repository|repo|project|codebase|code base)\b(?!['’]s)")
_TRAILING = re.compile(
    r"""(?:,?\s+(?:please|pls|thanks|thx|ok\??|okay|keep\ that\ in\ mind|fyi|btw)
      | ,\s+(?:so\ )?(?:please\ )?(?:(?:can|could)\ you|fix|flatten|switch|redo|change|rewrite|update|adjust
        |revert|remove|rename|undo)\ (?:it|this|that|these|those|accordingly|the\ \w+|me)\b
        [^.]{0,80})+\s*[.!]*$""",
    re.VERBOSE | re.IGNORECASE,
)
_IDENTIFIER = re.compile(r"\S*[_/.\\(){}<>=@#$0-9-]\S*|\w+[A-Z]\w*")
_REFUSAL = re.compile(
    r"(?i)^(?:(?:no+|nope|nah|wrong|incorrect|actually|not quite"
    r"|(?:that|it)['’]s (?:wrong|incorrect|not (?:right|true|correct)))\b"
    r"(?:,? (?:no|that['’]s wrong|man))?\s*[,.:;!-]*\s+(?!\w+[.,:;!]|(?:more|longer)\b)){1,3}"
)
_PERSONS: Final = {"i": "the user", "we": "the team", "you": "the agent"}
_TASK = re.compile(r"^(?:todo|fixme)\b\s*[:-]?\s*", re.IGNORECASE)


def rewrite(
    sentence: str, *, project: str | None = None, order: bool = False, correction: bool = False
) -> str:
    """Return the fact in a sentence of the user: "i prefer tabs" becomes "The user prefers tabs."

    I is the user, we the team, you the agent; with ``order``, you stays, as in what the agent is told to do.
    "This repo" gets the name of the project if that is known. Lead-ins and lead-outs are left out; code,
    quotations and addresses stay as they are. With ``correction``, the "no" before it is left out.
    """
    text = " ".join(sentence.split())
    text = text[lead(text) :]
    if correction:
        text = _REFUSAL.sub("", text) or text
        text = text[lead(text) :]
    text = _TRAILING.sub("", text).rstrip(" ,;:-")
    text = _TASK.sub("", text) or text
    text = _LETS.sub("", text)
    pieces: list[str] = []
    at = 0
    for hidden in _HIDDEN.finditer(text):
        pieces += [_reworded(text[at : hidden.start()], project, order=order), hidden[0]]
        at = hidden.end()
    pieces.append(_reworded(text[at:], project, order=order))
    return _finished("".join(pieces))


def _reworded(text: str, project: str | None, *, order: bool) -> str:
    spoken = _persons(text, order=order)
    for pattern, name in _OBJECTS:
        spoken = pattern.sub(name, spoken)
    if project:
        spoken = _HERE.sub(lambda match: f"the {project} {match[2].lower()}", spoken)
    return spoken


def _persons(text: str, *, order: bool) -> str:
    """Name persons and fit their verbs, from last to first, so that places stay right."""
    matches = [match for match in _PERSON.finditer(text) if not (order and match[1].lower() == "you")]
    for match in reversed(matches):
        person = _PERSONS[match[1].lower()]
        rest = text[match.end() :]
        text = text[: match.start()] + person + (conjugated(rest) if _governs(text, match) else rest)
    return text


def _governs(text: str, match: re.Match[str]) -> bool:
    """Return True if the pronoun is the subject of what follows: not in "ask you to", "for you and"."""
    if match[1].lower() != "you":
        return True
    before = text[: match.start()].rstrip().rsplit(None, 1)
    last = before[-1].lower().strip(",;:") if before else ""
    objects = {
        "want",
        "ask",
        "told",
        "tell",
        "let",
        "need",
        "expect",
        "for",
        "to",
        "with",
        "gave",
        "give",
        "like",
    }
    return last not in objects


def _finished(text: str) -> str:
    text = " ".join(text.split())
    if not text:
        return text
    first = text.split(None, 1)[0]
    if not _IDENTIFIER.fullmatch(first.rstrip(",:;")):
        text = text[0].upper() + text[1:]
    return text if text[-1] in ".!?:" else f"{text}."
