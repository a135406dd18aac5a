"""Words and clauses: spelling, third person, and clauses that stand alone."""

from __future__ import annotations

import re
from typing import Final

from quipu.kernel.prose.verbs import conjugated

_SPLIT = re.compile(
    r"""\s*(?:;|\s[-–—]+\s|\s[(])\s*
      | ,?\s+(?:and|but|so|because|plus|although|(?:even\s+)?though|while|whereas)\s+
        (?=(?:now\s+|also\s+)?(?:I|[Ww]e|my|our|the\suser)\b)
      | ,\s*(?:and|but|so|also|plus|since|as)?\s*
        (?=(?:(?:now\s)?(?:I|we|my|our|is|are|what|what's|how|how's|any|can|could|do|does|did|got|would|will|should|please|which
            |where|right|isn't|you|call|or|give|keep|just|speak|leave|it's|that's|who))\b)
      | ,?\s+(?:and|but|so|because|cause|cos)\s+(?=(?:he|she|they|his|her|their)(?:'|\s))
      | ,\s*(?=(?:he|she|they)(?:'|\s))
      | ,\s*(?:so|but|if\sthat\smatters|if\sthat\shelps|because)\b\s*
      | \s+so\s+(?=(?:please|no|feel|excuse|I|everything|legroom|what|keep|don't)\b)
      | \s+(?=please\s+(?:keep|remember|note|don't|excuse)\b)""",
    re.VERBOSE,
)
_RUN_ON = re.compile(
    r"(?<![\w'])(?P<last>[\w']+)\s+"
    r"(?=(?:he's|she's|I'm|I've|I (?:finally|just|got|have|work|live|moved|started|quit))\s)"
)
_GOES_ON: Final = frozenset((
    "that", "if", "when", "think", "says", "said", "like", "where", "while", "as", "what", "how", "but",
    "and", "so", "because", "since", "thing", "not", "one", "before", "after", "until", "or", "than",
    "unless", "who", "though", "believe", "know", "guess", "sure", "hope", "wish", "place", "time", "way",
    "now", "also", "everything", "reason", "all", "means", "day", "job", "only", "even", "mean", "why",
    "whether", "out",
))  # fmt: skip
"""Words after which "I" begins no thought of its own: "the place I work", "she thinks I'm late"."""

_SHARED = re.compile(
    r"(?:\s+and|,)\s+(?:also\s+)?(?=(?:live|work|have|speak|love|hate|study|am|enjoy|run|own|can|moved|use"
    r"|write|teach)\b)|\s+and\s+(?:also\s+)?(?=like\b)"
)
_OF_ANOTHER_VERB = re.compile(
    r"\b(?:to|will|would|can|could|should|might|let|help|who|that|how|you|they)\b|'(?:ll|d)\b"
)
"""Words after which a verb that follows "and" need not be the subject's: "I want to see it and have fun"."""
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
    r"(?i)(?:just |recently |finally |also |still )*(?:got|adopted|turned|moved|started|sold|bought"
    r"|have been|been|used to"
    r"|was born|grew up|live|work as|work at|work in|can't stand|don't (?:like|eat|drink)"
    r"|got married|became|joined|signed up|passed|broke my|quit|booked|gave up)\s+(?!it\b|that\b|this\b)\w"
)

_STATE = re.compile(
    r"(?i)(?:currently |now |presently )(?:unemployed|retired|on |living |working |studying |between )"
)

_SPELLED: Final = {
    "im": "I'm", "ive": "I've", "dont": "don't", "doesnt": "doesn't", "didnt": "didn't", "isnt": "isn't",
    "cant": "can't", "wont": "won't", "thats": "that's", "whats": "what's", "lets": "let's",
    "fav": "favourite", "favorite": "favourite", "favorites": "favourites", "u": "you", "ur": "your",
    "pls": "please", "plz": "please", "gonna": "going to", "wanna": "want to", "anymore": "any more",
    "mum": "mum", "weve": "we've", "theres": "there's", "i": "I", "hes": "he's", "shes": "she's",
    "theyre": "they're", "youre": "you're", "hasnt": "hasn't", "havent": "haven't", "wasnt": "wasn't",
    "arent": "aren't", "wouldnt": "wouldn't", "couldnt": "couldn't", "gotta": "have to", "bday": "birthday",
    "hubby": "husband", "yrs": "years", "theyve": "they've", "bf": "boyfriend", "gf": "girlfriend",
    "bc": "because", "cos": "because", "cuz": "because", "coz": "because", "w": "with", "tho": "though",
    "abt": "about", "tmrw": "tomorrow", "atm": "at the moment", "rn": "right now", "hadnt": "hadn't",
    "shouldnt": "shouldn't", "werent": "weren't", "neednt": "needn't", "dr": "doctor", "appt": "appointment",
    "yr": "year", "yo": "years old", "kinda": "kind of", "sorta": "sort of",
    "theyll": "they'll", "whos": "who's", "wheres": "where's", "y'all": "you",
}  # fmt: skip
_I = re.compile(r"(?<![\w'.@/-])i(?=')")
_UNMARKED: Final = (
    (
        re.compile(
            r"(?i)(?<![\w'])its(?= (?:an?|the|my|our|not|so|just|only|like|got|in|on|at|been|all"
            r"|called|really"
            r"|very|too|pretty|no|his|her|their|gonna|going|still|always|never|basically|literally)\b)"
        ),
        "it's",
    ),
    (
        re.compile(
            r"(?i)(?:^|(?<=[,;:.!] )|(?<=\band )|(?<=\bso )|(?<=\bbut )|(?<=\bwhere ))were"
            r"(?= (?:not|gonna|going to|in|at|on|all|both|off|still|having|getting|moving|expecting|planning"
            r"|driving|flying|staying|living|headed|renting|buying|selling|engaged|married|thinking)\b"
            r"(?![^?]{0,80}\?))"
        ),
        "we're",
    ),
    (
        re.compile(
            r"(?<![\w'])id(?= (?:probably|have|be|been|love|like|go|never|rather|say|do|give|want|still"
            r"|just|need"
            r"|live|consider|take|get|always|prefer|quite|really)\b)"
        ),
        "I'd",
    ),
    (
        re.compile(
            r"(?<![\w'])ill(?= (?:probably|have|be|go|never|do|give|need|take|get|just|let|tell|try"
            r"|bring|still"
            r"|also|definitely|remember|forget|see|ask|keep|call|text|send|make)\b)"
        ),
        "I'll",
    ),
)
_DOCTOR: Final = re.compile(r"(?<!\w)[Dd]r(?=\.? [A-Z])")
_SHOUTED: Final = re.compile(r"(?<!\w)[A-Z][A-Z']*(?!\w)(?:[ ,]+[A-Z][A-Z']*(?!\w))+")
_FEWEST_SHOUTED: Final = 3
_IN_LAW = re.compile(r"\b((?:mother|father|sister|brother|son|daughter)s?) in law\b", re.IGNORECASE)
_PLAIN_WORD = re.compile(r"(?<![\w'.@/-])[A-Za-z]+(?![\w'@/]|\.\w)")
_SUBJECT = re.compile(r"(?<![\w'.@/-])(?:I|[Ww]e)(?='|\s+[a-z'])")
_TOGETHER = re.compile(r"^(?:my|our|the user's)\s[\w\s]{1,40}\sand\s$", re.IGNORECASE)
_OTHERS: Final = (
    (re.compile(r"(?<![\w'.@/-])(?:my|our)(?= own\b)", re.IGNORECASE), "the user's"),
    (re.compile(r"(?<![\w'.@/-])(?:my|mine|our|ours)(?![\w'@/-])", re.IGNORECASE), "the user's"),
    (
        re.compile(r"^(?=(?:dad|mom|mum|mama|papa|grandma|grandpa|granny|nana)(?:'s)?\s)", re.IGNORECASE),
        "the user's ",
    ),
    (re.compile(r"(?<![\w'.@/-])(?:me|us|I)(?![\w'@/-])"), "the user"),
    (re.compile(r"(?<![\w'.@/-])(?:your)(?![\w'@/-])", re.IGNORECASE), "the assistant's"),
)

_NOT = re.compile(r"\b(is|are|was|were|does|do|did|has|have|would|could|should)n't\b", re.IGNORECASE)
_IS = re.compile(
    r"(\bthe user's [\w ]{2,25})'s (?=an? |the |not |in |from |always |so |very |really |\w+ing\b)"
)


def spelled(text: str) -> str:
    """Return the text with straight apostrophes, single spaces, and usual spelling where it matters."""
    plain = _IN_LAW.sub(r"\1-in-law", _I.sub("I", " ".join(text.replace("’", "'").split())))
    plain = _SHOUTED.sub(_calm, _DOCTOR.sub("Dr", plain))
    for pattern, written in _UNMARKED:
        plain = pattern.sub(written, plain)
    return _PLAIN_WORD.sub(_written, plain)


def _written(match: re.Match[str]) -> str:
    word = match[0]
    return word if word == "Dr" else _SPELLED.get(word.lower(), word)


def _calm(match: re.Match[str]) -> str:
    """Return words in capitals in small letters: three or more, up to the last that is no single letter."""
    shouted = re.sub(r"(?:[ ,]+[A-Z])+$", "", match[0])
    if len(re.split(r"[ ,]+", shouted)) < _FEWEST_SHOUTED:
        return match[0]
    return shouted.lower() + match[0][len(shouted) :]


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


def clauses(text: str) -> list[str]:
    """Return the clauses of a spelled sentence in order, each able to stand alone."""
    text = re.sub(r"^is it \w+ that (?=(?:I|my|we|our)\b)(.*)\?$", r"\1.", text, flags=re.IGNORECASE)
    parts = [one for part in _SPLIT.split(text) if part and part.strip() for one in _run_on(part)]
    whole: list[str] = []
    for part in parts:
        pieces = _SHARED.split(part) if re.match(r"(?:I|we)\b", part, re.IGNORECASE) else [part]
        shared = [] if _OF_ANOTHER_VERB.search(pieces[0]) else pieces[1:]
        whole += [pieces[0], *(f"I {piece}" for piece in shared)]
    return [clause for one in whole if (clause := trimmed(one))]


_THING: Final = re.compile(r"(?i)\b(?:the|an?|my|our|this|that|any|every|some) (?:[\w'-]+ )?[\w']+$")
"""Noun that a relative clause may follow: "the startup I'm building"."""


def _run_on(part: str) -> list[str]:
    """Return the thoughts of a clause that nothing but a new subject parts."""
    starts = [0]
    starts += [
        match.end()
        for match in _RUN_ON.finditer(part)
        if match["last"].lower() not in _GOES_ON and not _THING.search(part, 0, match.end("last"))
    ]
    return [part[start:end] for start, end in zip(starts, [*starts[1:], len(part)], strict=True)]


def trimmed(clause: str) -> str:
    """Return the clause without its lead-in."""
    clause = clause.strip(" ,;:-()")
    match = _LEAD.match(clause)
    if re.match(
        r"(?i)(?:currently |now |presently )(?:unemployed|retired|on |living |working |studying |between )",
        clause,
    ):
        return f"I am {clause[0].lower()}{clause[1:]}"
    clause = clause[match.end() :] if match and match.end() < len(clause) else clause
    if re.match(r"(?i)been\b", clause):
        return f"I have {clause[0].lower()}{clause[1:]}"
    return f"I {clause[0].lower()}{clause[1:]}" if _ELLIPTICAL.match(clause) else clause


_LISTED: Final = re.compile(
    r"(?:, (?!not\b|no\b|just\b|so\b)[\w'-]+(?: [\w'-]+){0,3})*,? (?:and|or) [\w'-]+(?: [\w'-]+){0,3}[.]?$"
)
_GOES_WITH: Final = re.compile(
    r", (?:not|especially|mostly|mainly|including|preferably|except|but not|ideally|with|without|from|in|on"
    r"|at|near"
    r"|for|to|by|unless|when|whenever|if|since|until|except|usually|never|always|only"
    r"|(?-i:[A-Z])[\w'-]+[.]?$)\b",
    re.IGNORECASE,
)


_ADJECTIVE: Final = re.compile(r"\b(?:an?|the|some) [\w-]+$")
_ADJECTIVES: Final = re.compile(r", [\w-]+(?:ing|ed|y|ful|ous|ive|able|ible|al|ic|ant|ent) [\w-]+")
"""Second adjective behind a comma: "a safe, inviting place"."""


def aside(text: str, start: int = 0) -> str:
    """Return a text without the remarks behind a comma, if they are no part of a list."""
    comma = text.find(", ", start)
    if comma < 0 or _LISTED.match(text, comma) or _GOES_WITH.match(text, comma):
        return text
    if _ADJECTIVE.search(text[:comma]) and _ADJECTIVES.match(text, comma):
        return text
    return text[:comma]


def one_of(who: str) -> str:
    """Return the noun phrase with its noun in the singular: "younger sister" of "younger sisters"."""
    *before, noun = who.split()
    return " ".join((*before, _IRREGULAR.get(noun, noun) if noun in _SEVERAL else singular(noun)))


_SEVERAL: Final = ("kids", "children")
_IRREGULAR: Final = {
    "puppies": "puppy", "bunnies": "bunny", "mice": "mouse", "ponies": "pony", "huskies": "husky",
    "children": "child", "kids": "child", "kid": "child", "canaries": "canary", "fish": "fish",
    "mum": "mother", "mom": "mother", "dad": "father", "collies": "collie", "pup": "puppy",
}  # fmt: skip


def singular(noun: str) -> str:
    """Return the noun in the singular, lower case."""
    lower = noun.lower().strip()
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    return (
        lower[:-1]
        if lower.endswith("s") and not lower.endswith(("ss", "us", "is")) and len(lower) > 3
        else lower
    )
