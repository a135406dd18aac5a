"""The clauses of a sentence that each say something of their own, and the words that only lead in and out."""

from __future__ import annotations

import re

_SPLIT = re.compile(
    r"""\s*(?:;|\s[-–—]+\s|\s[(])\s*
      | ,?\s+(?:and|but|so|because|plus|although|(?:even\s+)?though|while|whereas)\s+
        (?=(?:now\s+|also\s+)?(?:I|[Ww]e|my|our|the\suser)\b)
      | ,\s*(?:and|but|so|also|plus|since|as)?\s*
        (?=(?:(?:now\s)?(?:I|we|my|our|is|are|what|what's|how|how's|any|can|could|do|does|did|got|would|will|should|please|which
            |where|right|isn't|you|call|or|give|keep|just|speak|leave|it's|that's|who))\b)
      | ,\s*(?:so|but|if\sthat\smatters|if\sthat\shelps|because)\b\s*
      | \s+so\s+(?=(?:please|no|feel|excuse|I|everything|legroom|what|keep|don't)\b)
      | \s+(?=please\s+(?:keep|remember|note|don't|excuse)\b)""",
    re.VERBOSE,
)
_SHARED = re.compile(
    r"(?:\s+and|,)\s+(?:also\s+)?(?=(?:live|work|have|speak|love|hate|study|like|am|enjoy|run"
    r"|own|can|moved|use"
    r"|write|teach)\b)"
)
_LEAD = re.compile(
    r"""(?:(?:
        (?:and|but|also|plus|so|oh|ah|well|hm+|um|uh|ok(?:ay)?|hey|hi|hello|thanks
          |thank\ you|actually|anyway|btw|by\ the\ way|fyi|honestly|tbh|basically
          |good\ (?:morning|evening|afternoon)|in\ fact|just\ so\ you\ know
          |for\ the\ record|for\ context|for\ your\ information
          |as\ i\ (?:said|mentioned|told\ you)(?:\ before|\ already)?
          |like\ i\ said|to\ be\ (?:honest|fair|clear)|you\ (?:should\ )?know(?:\ that)?
          |by\ (?:trade|training|profession|day)
          |(?:this|next)\ (?:year|month|summer|winter|spring|autumn|semester)(?=,?\ I\b)
          |these\ days|at\ the\ moment|right\ now
          |one\ (?:more\ )?thing|another\ thing|unfortunately|luckily|nowadays|now|then|lol|haha|guess\ what
          |a\ bit\ about\ me|about\ me|for\ me|personally|as\ for\ me|i\ should\ (?:say|mention
          |add)(?:\ that)?
          |i\ (?:have\ to|must)\ (?:say|admit)(?:\ that)?|did\ i\ mention(?:\ that)?|it\ turns\ out(?:\ that)?
          |the\ thing\ is(?:\ that)?|i\ forgot\ to\ (?:say|mention)(?:\ that)?
          |you\ got\ that\ wrong|not\ quite
          |that's\ (?:wrong|not\ (?:right|true|correct))|since|because|as(?=\ (?:I|we|my|our)\b)|given\ that
          |i\ think|i\ guess|i\ believe|i\ mean|please)
        (?=[\s,:;.!-])[\s,:;.!-]+
      | (?:yes|yeah|yep|no|nope|nah|sure|true|right|great|cool|nice|funny|wrong|correction|update|look
          |listen|sorry|perfect
          |awesome|interesting|exactly|good|fair\ enough|makes\ sense|got\ it|same\ here|me\ too|important
          |reminder|note|heads\ up)
        \s*[,:;.!–-]+\s* )+)""",
    re.VERBOSE | re.IGNORECASE,
)


_ELLIPTICAL = re.compile(
    r"(?:just |recently |finally |also |still )*(?:got|adopted|turned|moved|started|sold|bought"
    r"|have been|been|used to"
    r"|was born|grew up|live|work as|work at|work in|can't stand|don't (?:like|eat|drink)"
    r"|got married|became)\s+(?!it\b|that\b|this\b)\w",
    re.IGNORECASE,
)


_STATE = re.compile(
    r"(?:currently |now |presently )(?:unemployed|retired|on |living |working |studying |between )",
    re.IGNORECASE,
)


def clauses(text: str) -> list[str]:
    """Return the clauses of a spelled sentence in order, each able to stand alone."""
    text = re.sub(r"^is it \w+ that (?=(?:I|my|we|our)\b)(.*)\?$", r"\1.", text, flags=re.IGNORECASE)
    parts = [part for part in _SPLIT.split(text) if part and part.strip()]
    found: list[str] = []
    for part in parts:
        pieces = _SHARED.split(part) if re.match(r"(?:I|we)\b", part, re.IGNORECASE) else [part]
        found.append(pieces[0])
        found += [f"I {piece}" for piece in pieces[1:]]
    return [clause for one in found if (clause := trimmed(one))]


def trimmed(clause: str) -> str:
    """Return the clause without its lead-in."""
    clause = clause.strip(" ,;:-()")
    match = _LEAD.match(clause)
    if re.match(
        r"(?:currently |now |presently )(?:unemployed|retired|on |living |working |studying |between )",
        clause,
        re.IGNORECASE,
    ):
        return f"I am {clause[0].lower()}{clause[1:]}"
    clause = clause[match.end() :] if match and match.end() < len(clause) else clause
    return f"I {clause[0].lower()}{clause[1:]}" if _ELLIPTICAL.match(clause) else clause
