"""Short answers, told as statements: "Do you live in Berlin?" and "Yes." say "I live in Berlin"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_YES = re.compile(
    r"^(?:yes|yeah|yep|yup|sure|correct|right|exactly|indeed|true|that's (?:right|correct|true)"
    r"|i (?:do|am|have)|of course|absolutely)\b[\s,.!]*"
    r"(?:(?:i (?:do|am|have)|it is|that's (?:right|correct)|still|indeed|sure)\b[\s,.!]*)?(?P<rest>.*)$",
    re.I | re.S,
)
_NO = re.compile(
    r"^(?:no|nope|nah|not any ?more|not (?:really|at all))\b[\s,.!]*(?:(?:i (?:don't|do not"
    r"|am not|haven't)|i'm not|not any ?more)\b[\s,.!]*)?(?P<rest>.*)$",
    re.I | re.S,
)
_QUESTION = re.compile(r"[^.!?\n]+\?")
_FULL = re.compile(r"^(?:I|I'm|I've|my|we|our|we're|it's|there|call)\b", re.I)
_SO: Final = r"^(?:so |and |ok(?:ay)? |then )*"
_PLAIN: Final = (
    (re.compile(
        rf"{_SO}do you (?:still |also |currently |usually |really )?"
        r"(?P<v>.+)\?$", re.I), "I {v}"),
    (re.compile(rf"{_SO}are you (?:still |also |currently |really )?(?P<v>.+)\?$", re.I),
     "I am {v}"),
    (re.compile(rf"{_SO}have you (?P<v>been .+|got .+)\?$", re.I), "I have {v}"),
    (re.compile(rf"{_SO}can you (?P<v>(?:speak|drive|swim|eat|read|play) .+)\?$", re.I),
     "I can {v}"),
    (re.compile(
        rf"{_SO}(?:is|are) your (?P<s>[\w' ]{2,30}?) (?P<v>(?:called|named"
        r"|an? |the |still |in |on |from |\w+$|[A-Z]).*)\?$"), "my {s} is {v}"),
    (re.compile(
        rf"{_SO}you (?P<v>(?!know|see|want|would|can|could|should|mean"
        r"|think).+?),? (?:right|correct|is that (?:right|correct|so)|yes|don't you|aren't you)\?$", re.I),
     "I {v}"),
)  # fmt: skip
_ASKED: Final = (
    (
        r"where (?:do|are) you (?:live|living|based|currently live|located)|where(?:abouts)? "
        r"(?:is home|are you)|(?:which|what) (?:city|town|country) (?:do you live|are you) in",
     "I live in {a}"),
    (
        r"what(?:'s| is) your (?:full |first |real )?name|who am i (?:talking|speaking) to|may i "
        r"(?:ask|have|know) your name", "my name is {a}"),
    (
        r"what (?:should|can|may|shall) i call you|how (?:should|can|may|shall) i (?:address"
        r"|call) you|what (?:do you|would you) (?:like|want|prefer) to be called", "call me {a}"),
    (r"how old are you|what(?:'s| is) your age", "I am {a} years old"),
    (r"where are you (?:originally )?from|where did you (?:grow up|come from)", "I am from {a}"),
    (
        r"what do you do(?: for (?:a living|work))?|what(?:'s| is) your (?:job|profession"
        r"|occupation)|what kind of work do you do", "I work as {a}"),
    (r"where do you work|who(?:m)? do you work for|what company do you work (?:for|at)", "I work at {a}"),
    (r"(?:which|what) languages? do you speak", "I speak {a}"),
    (r"(?:which|what) language are you learning", "I am learning {a}"),
    (r"(?:what|which|who)(?:'s| is| are) your (?P<s>favou?rite [\w ]{2,30})", "my {s} is {a}"),
    (r"when(?:'s| is) your (?P<s>birthday|anniversary|wedding anniversary)", "my {s} is {a}"),
    (
        r"what(?:'s| is| are) your (?P<s>pronouns|time ?zone|shoe size|t-?shirt size|height"
        r"|native language|mother tongue|(?:work |private )?e-?mail(?: address)?|job title|hobbies"
        r"|hobby)", "my {s} is {a}"),
    (
        r"what(?:'s| is) your (?P<s>[\w' ]{2,30}'s name)|what(?:'s| is) the name of your "
        r"(?P<o>[\w ]{2,30})", "my {s} is {a}"),
    (r"how many (?P<s>[\w ]{2,20}) do you have", "I have {a}"),
    (r"what do you study|what are you studying|what(?:'s| is) your major", "I study {a}"),
)  # fmt: skip
_LONGEST_ANSWER: Final = 10


@dataclass(frozen=True, slots=True)
class Answer:
    """Short answer as a sentence; ``denied`` means that it is not so, ``rest`` is what else was said."""

    statement: str
    denied: bool
    rest: str


def asked(assistant: str) -> str | None:
    """Return the question at the end of an assistant's turn, if it ends with one."""
    text = assistant.strip()
    questions = _QUESTION.findall(text)
    return " ".join(questions[-1].split()) if questions and text.endswith("?") else None


def answered(question: str, answer: str) -> Answer | None:
    """Return the answer as a statement; None if it is no short answer to a question about the user."""
    text = " ".join(answer.replace("’", "'").split())
    first = re.split(r"(?<=[.!?])\s", text)[0]
    return _whether(question, text) or _what(question, first.rstrip(" .!"), text[len(first) :].strip())


def _whether(question: str, text: str) -> Answer | None:
    yes, no = _YES.match(text), _NO.match(text)
    told = next((_told(form, match) for one, form in _PLAIN if (match := one.match(question))), None)
    said = yes or no
    if told is None or said is None or re.search(r"\b(?:me|want|need|would|help|ready|mean|sure)\b", told):
        return None
    rest = said["rest"].strip()
    having = re.match(r"I have (?:(?:any|a|an|some)\b|[\w ]+$)", told)
    short = rest and not _FULL.match(rest) and len(rest.split()) <= _LONGEST_ANSWER and not rest.endswith("?")
    if yes and short and having:
        return Answer(f"I have {rest.rstrip(' .!')}", False, "")
    if no and short:
        swapped = _swapped(told, re.sub(r"^(?:in|at|an?) ", "", rest.rstrip(" .!")))
        return Answer(swapped, False, "") if swapped != told else Answer(told, True, rest)
    if re.search(r"\b(?:any|or)\b", told):
        return None
    return Answer(told, no is not None, rest)


def _swapped(statement: str, value: str) -> str:
    """Return the statement with another value at its end."""
    for before in (r"in|at|as|to|for", r"is|am|are"):
        match = re.match(rf"^(?P<head>.*\b(?:{before}) )\S.*$", statement)
        if match is not None:
            return f"{match['head']}{value}"
    return statement


def _told(form: str, match: re.Match[str]) -> str:
    groups = match.groupdict()
    return form.format(v=_mine(groups["v"]), s=groups.get("s") or "")


def _mine(text: str) -> str:
    return re.sub(r"\byours?\b", "my", text)


def _what(question: str, answer: str, rest: str) -> Answer | None:
    if not answer or _FULL.match(answer) or len(answer.split()) > _LONGEST_ANSWER or answer.endswith("?"):
        return None
    if (
        _YES.match(answer)
        or _NO.match(answer)
        or re.match(
            r"(?:why|what|not|i'd|that|this|there|wow|none|nothing|secret|guess|no idea|skip|never mind"
            r"|thanks|dunno|idk|who)\b",
            answer,
            re.I,
        )
    ):
        return None
    bare = re.sub(
        r"^(?:it's|its|in|at|just|well|oh|um|mostly|as|probably|that's|on|an?(?= \w+ised))\s+",
        "",
        answer,
        flags=re.I,
    )
    for pattern, form in _ASKED:
        match = re.search(rf"\b(?:{pattern})\b", question, re.I)
        if match is not None:
            groups = match.groupdict()
            subject = groups.get("s") or (f"{groups['o']}'s name" if groups.get("o") else "")
            return Answer(
                form.format(
                    a=bare[0].upper() + bare[1:] if "name" in form or "call" in form else bare, s=subject
                ),
                False,
                rest,
            )
    return None
