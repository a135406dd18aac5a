"""A clause in the third person as a claim about the user: what is told, kept, and how much it matters."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cache
from typing import Final

from quipu.kernel.prose.content import content
from quipu.kinds.longterm.evaluation.grammar import Family, grammar
from quipu.kinds.longterm.evaluation.model import USUAL, Claim, Statement
from quipu.kinds.longterm.evaluation.people import first_names, named_first
from quipu.kinds.longterm.evaluation.words import aside, one_of, sentence, singular
from quipu.kinds.longterm.model import Category, Importance, weight

_STRESSED = re.compile(
    r"\b(?:really important|very important|important that|crucial|critical|vital|essential)\b", re.I
)
OF_SPEAKER: Final = "somebody named: "
"""Beginning of the family of what is told of somebody by name."""

_NEXT: Final = (
    r"(?:,| and| but| [-–—])\s(?:it|it's|they|they're|that's|this|he|she|he's|she's|there's|the user)\b"
)
"""Beginning of another thought: "I joined a gym, it's great"."""

EVENT: Final = "events of a life"
"""Family of what happened once: that something is over is news, too ("I gave up coffee")."""

_NAME: Final = r"(?-i:[A-Z][\w'-]*(?: [A-Z][\w'-]*)?)"
_EVERYBODY_HAS: Final = frozenset((
    "mother", "father", "parent", "grandmother", "grandfather", "grandma", "grandpa", "granny",
    "supervisor", "mama", "papa", "mommy", "family", "friend", "buddy", "buddie", "pal",
    "mate", "neighbour", "neighbor", "colleague", "coworker", "co-worker", "boss", "manager",
))  # fmt: skip
_NEGATED: Final = re.compile(r"(?i)(?:\bnot|n't|\bno) $")
_UNIQUE: Final = frozenset((
    "wife", "husband", "partner", "girlfriend", "boyfriend", "spouse", "mother", "mom", "mum", "father",
    "dad", "boss", "fiancé", "fiancée", "fiance", "fiancee", "landlord", "landlady",
))  # fmt: skip
_TRAILING = re.compile(
    r"(?i)(?:,? (?:now|these days|nowadays|at the moment|currently|right now|any ?more|as well|too"
    r"|again|recently|instead|from now on|from here on|(?:in|since) (?:the )?(?:spring|summer"
    r"|autumn|fall|winter)"
    r"|actually|by the way|please|already|(?:since|for) (?:about |over |almost |nearly |the (?:last|past) )?"
    r"(?:\w+ )?(?:years?|months?|weeks?|ages|\d{4}|college|school|january|february|march|april|may|june|july"
    r"|august|september|october|november|december)|(?:for )?(?:last|this|next) (?:week|month|year|spring"
    r"|summer|autumn|fall"
    r"|winter|\w+day)|yesterday|today|(?:a|one|two|three|\w+) (?:weeks?|months?|years?) ago"
    r"|here|(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty) years"
    r"|if that (?:matters|helps)))+$"
)


def claim(clause: str, *, order: bool = True, learned: Collection[str] = ()) -> Claim | None:
    """Return the claim of a clause in the third person; None if it says nothing that lasts.

    ``learned`` are names, lower case, that the conversation gave to somebody.
    """
    return _of_others(clause) or _of_the_user(clause, order=order) or _of_a_name(clause, learned)


_ANY: Final = re.compile(r"an? ")


def of_speaker(claim: Claim, name: str) -> Claim | None:
    """Return a claim of what somebody named says of themselves; None for what they tell the assistant."""
    first = name.split(maxsplit=1)[0]
    if claim.told and claim.told[0].slot == "job" and not _ANY.match(claim.told[0].value):
        return None
    if claim.told and claim.told[0].slot.startswith(("order:", "assistant", "means:", "named:", "called")):
        return None
    summary = re.sub(r"(?i)\bthe user('s)?(?![\w'])", lambda match: f"{first}{match[1] or ''}", claim.summary)
    return replace(
        claim,
        category="relationships",
        importance=USUAL["relationships"],
        summary=sentence(summary),
        told=tuple(replace(one, slot=f"{first.lower()}/{one.slot}") for one in claim.told),
        family=f"{OF_SPEAKER}{claim.family}",
        ends=tuple(f"{first.lower()}/{one}" for one in claim.ends),
    )


def important(of: Claim, *, requested: bool, stressed: bool) -> Importance:
    """Return a claim's importance: as usual, at least medium if asked for, high if called important."""
    if stressed:
        return "high"
    return max(of.importance, "medium", key=weight) if requested else of.importance


def stressed(text: str) -> bool:
    """Return True if the text says that it is important."""
    return _STRESSED.search(text) is not None


def _of_the_user(clause: str, *, order: bool) -> Claim | None:
    known = grammar()
    for family in known.of(clause):
        if family.order and not order:
            continue
        match = family.said(clause)
        if match is not None and not known.guarded(family.unless, clause):
            return _made(family, match, clause)
    return None


def _made(family: Family, match: re.Match[str], clause: str) -> Claim:
    groups = match.groupdict()
    value = value_of(groups.get("v") or "")
    subject = singular(" ".join((groups.get("s") or "").split()))
    slot = family.slot.format(v=" ".join(sorted(content(value))), s=subject.lower())
    if family.order:
        summary = sentence(ordered(value))
    elif family.summary is None:
        summary = sentence(_TRAILING.sub("", _end(clause, match)))
    else:
        summary = sentence(family.summary.format(v=value, s=(groups.get("s") or "").strip()))
    told = [Statement(slot, value or subject, family.single, family.denies), *_beside(family, clause)]
    return Claim(
        family.category, USUAL[family.category], summary, tuple(told), family.name, family.quiet, family.ends
    )


def _end(clause: str, match: re.Match[str]) -> str:
    """Return the clause up to where its thought ends: at least to the end of what was recognised."""
    end = re.compile(
        r"[;!?]|\.(?:\s|$)|,\s(?:so|but|because|since|which|and)\b|\s(?:so|because|since|if)\s|" + _NEXT
    ).search(clause, match.end())
    return aside(clause[: end.start()] if end else clause, match.end())


def value_of(text: str) -> str:
    """Return a value without trailing words that only say since when."""
    return _TRAILING.sub("", " ".join(text.split()).strip(" ,;:-."))


def ordered(order: str) -> str:
    """Return an order to the assistant as a wish of the user."""
    text = re.sub(r"\b(?:you)\b", "the assistant", order.strip())
    first = text.split(None, 1)[0].lower()
    rest = text.split(None, 1)[1] if " " in text else ""
    if first in ("no", "fewer", "less", "more", "short", "shorter", "brief", "concise"):
        return f"The user wants {text}"
    if first in ("don't", "do"):
        rest = re.sub(r"^not ", "", rest)
        return f"The user wants the assistant not to {rest}"
    if first in ("never", "always"):
        return f"The user wants the assistant {first} to {rest}"
    if first in ("stop", "avoid"):
        return f"The user wants the assistant to {first} {rest}"
    return f"The user wants the assistant to {text}"


def _beside(family: Family, clause: str) -> Iterator[Statement]:
    """Yield the other statements of the clause, so that none is kept twice and each can be corrected."""
    if family.slot == "job":
        at = re.search(r"\b(?:at|for) (?P<v>(?:an? |the )?[\w&' -]{2,50}?)(?=$|[,;:.!?]| and | as )", clause)
        if at and "works" in clause:
            yield Statement("employer", at["v"], True)
    if family.category == "pets":
        named = re.search(rf"\b(?:called|named|name is) (?P<v>{_NAME})", clause)
        if named:
            yield Statement("named", named["v"], False)
            kept = re.search(rf"\b({grammar().words['animal']})\b", clause, re.IGNORECASE)
            if kept:
                yield Statement(f"{singular(kept[1])}/name", named["v"], False)


@cache
def _other() -> re.Pattern[str]:
    words = grammar().words
    kin, animal = words["relation"], words["animal"]
    adjective = (
        r"(?:older |younger |elder |little |big |twin |late |new |old |dear |two |three |oldest "
        r"|youngest |eldest |\w+-year-old |former |current |baby )?"
    )
    return re.compile(
        rf"(?i)^(?:(?P<of>the name of )?the user's (?P<who>{adjective}(?:(?P<kin>{kin})|"
        rf"(?P<animal>{animal})))(?:,? (?P<name>{_NAME}))?(?P<name_is>'s name)?"
        rf"(?P<owns>'s(?= \w+ (?:is|are)\b))?)(?:,)?(?: and the user)?(?P<rest>\s.{{2,200}}|$)"
    )


def _of_others(clause: str) -> Claim | None:
    """Return the claim of a clause about somebody, or some animal, of the user's."""
    match = _other().match(clause)
    if match is None or not match["rest"].strip():
        return None
    category: Category = "relationships" if match["kin"] else "pets"
    subject = f"The user's {match['who']}" + (f" {match['name']}" if match["name"] else "")
    key = singular(match["kin"] or match["animal"])
    who = f"{key}:{match['name'].lower()}" if match["name"] and key not in _UNIQUE else key
    if match["owns"]:
        return _owned(match, category, subject, who)
    named = _naming(match)
    if named:
        told = (Statement(f"{key}/name", named, key in _UNIQUE), Statement("named", named, False))
        return Claim(
            category, USUAL[category], sentence(f"{subject} is called {named}"), told, "name of another"
        )
    return _state(match, category, subject, who)


def _owned(match: re.Match[str], category: Category, subject: str, who: str) -> Claim | None:
    """Return the claim about a thing of somebody else's: "my son's birthday is the 9th of June"."""
    inner = _of_the_user(f"the user's{match['rest']}", order=False)
    if inner is None:
        return None
    told = tuple(Statement(f"{who}/{one.slot}", one.value, one.single, one.denied) for one in inner.told)
    summary = sentence(_TRAILING.sub("", _clipped(f"{subject}'s{match['rest']}")))
    return Claim(category, USUAL[category], summary, told, f"another: {inner.family}")


def _naming(state: re.Match[str]) -> str | None:
    rest = state["rest"]
    if state["of"] or state["name_is"]:
        match = re.match(rf"\s(?:is|was) (?P<v>{_NAME}|qx\dqx)", rest)
    else:
        match = re.match(rf"\s(?:is|are) (?:called|named) (?P<v>{_NAME}(?:(?:,| and) {_NAME})*|qx\dqx)", rest)
    return match["v"] if match else None


_LASTING = re.compile(
    r"(?i)\s(?:(?:also|always|often|usually|really|still|now|just|never|both|all|only|currently) )*"
    r"(?:is|are|has|have|lives?|works?|studies|study|speaks?|plays?|likes?|loves?|hates?"
    r"|prefers?|wants? to be|owns?"
    r"|runs?|can|cannot|does not|do not|needs?|turns?|turned|moved|started|starts|goes to"
    r"|comes from|teaches|drives"
    r"|eats?|drinks?|sleeps?|keeps?|collects?|writes|sings|paints|enjoys?|was born|grew up|got "
    r"(?:married|engaged|promoted)"
    r"|married|became|graduated|retired|died|passed away|stays?|staying|suffers|wears|cooks"
    r"|dislikes?|avoids?)\b"
)
_OF_ANYBODY: Final = (
    "home", "age", "born", "origin", "employer", "diet", "intolerant:", "speaks:", "native", "pet:", "day:",
    "has:married", "has:engaged", "has:divorced", "studies", "likes:", "vehicle", "habit:", "event:",
    "activity:", "job", "household", "is:", "keeps:", "consumes:", "sick:", "childhood", "learns:",
)  # fmt: skip
"""Slots that are kept of somebody of whom only the name is known."""

_PASSING = re.compile(
    r"(?i)\b(?:today|tonight|yesterday|this (?:morning|week|evening|afternoon|weekend)|right now"
    r"|again|tomorrow|next (?:week|month)|last (?:night|week))\b"
    r"|^\s(?:has|have|had) the\b|^\s(?:is|are) (?:in|on)\b"
    r"|^\s(?:is|are) (?:\w+ )?(?:here|there|at|in the|on the|coming|going|visiting(?! (?:us |me "
    r"|the user )?(?:for|until|from))|calling|asking|waiting|looking|right|wrong|sure|mad|angry"
    r"|sad|happy|sick|ill|fine|ok|okay|late|tired|back|home|allowed|driving me|not allowed"
    r"|scratching|barking)\b"
)


_PARTICIPLE: Final = re.compile(r"(?i)\s(?:born|engaged|divorced|separated|widowed)\b")
"""Beginning of a phrase in which the verb is missing: "my niece born on the 11th"."""


def _state(match: re.Match[str], category: Category, subject: str, who: str) -> Claim | None:
    """Return a lasting state of somebody else; if nothing lasts, at least that they exist and their name."""
    rest = match["rest"]
    if _PARTICIPLE.match(rest):
        return _there_is(match, category)
    inner = _of_the_user(f"the user{rest}", order=False) if _LASTING.match(rest) else None
    if (inner is not None or _event().match(rest)) and not _PASSING.search(rest):
        text = f"{subject}{rest}"
        summary = sentence(_TRAILING.sub("", _clipped(text)))
        told = (
            [Statement(f"{who}/{one.slot}", one.value, one.single, one.denied) for one in inner.told]
            if inner
            else []
        )
        if not told:
            told = [Statement(f"{who}/says", rest, False)]
        if inner is not None and inner.summary.startswith("The user ") and grammar_has_template(inner.family):
            summary = subject + inner.summary.removeprefix("The user")
        told += [Statement("named", match["name"], False)] if match["name"] else []
        return Claim(
            category, USUAL[category], summary, tuple(told), f"another: {inner.family if inner else 'state'}"
        )
    return _there_is(match, category)


def grammar_has_template(name: str) -> bool:
    """Return True if the family of that name has a summary template."""
    return any(family.name == name and family.summary for family in grammar().families)


@cache
def _event() -> re.Pattern[str]:
    """Return the pattern of what happens in the life of somebody else and is worth keeping."""
    return re.compile(rf"(?i)\s{grammar().words['event']}\b")


def _of_a_name(clause: str, learned: Collection[str]) -> Claim | None:
    """Return the claim about somebody of whom only the name is known: "Priya is pregnant"."""
    named = named_first(clause, learned)
    if named is None or _PASSING.search(named[1]):
        return None
    name, rest = named
    inner = _of_the_user(f"the user{rest}", order=False)
    if inner is not None and not inner.told[0].slot.startswith(_OF_ANYBODY):
        inner = None
    if inner is not None and inner.told[0].slot == "job" and not _ANY.match(inner.told[0].value):
        return None
    if inner is None and not _event().match(rest):
        return None
    told = inner.told if inner else (Statement("says", rest, False),)
    summary = sentence(_TRAILING.sub("", _clipped(f"{name}{rest}")))
    if inner is not None and grammar_has_template(inner.family):
        summary = name + inner.summary.removeprefix("The user")
    return Claim(
        "relationships",
        USUAL["relationships"],
        summary,
        tuple(replace(one, slot=f"{name.lower()}/{one.slot}") for one in told),
        f"{OF_SPEAKER}{inner.family if inner else 'event'}",
    )


def _clipped(text: str) -> str:
    ends = r"[;!?]|\.(?:\s|$)|,\s(?:so|but|because|since|which)\b|\s(?:so|because)\s|" + _NEXT
    return aside(re.split(ends, text)[0])


def mention(text: str) -> Claim | None:
    """Return whom the user has, mentioned in passing: "is my dog allowed to eat grapes?" tells of a dog."""
    words = grammar().words
    close = (
        r"(?:wife|husband|partner|girlfriend|boyfriend|spouse|son|daughter|kids|children|boss"
        r"|neighbou?r|roommate)"
    )
    match = re.search(
        rf"(?i)\bthe user's (?P<who>(?:\w+ )?(?:(?P<kin>{words['relation']})|(?P<animal>{words['animal']})))"
        rf"(?:,? (?P<name>{_NAME}))?(?P<of>)"
        r"(?!'s|\w| (?:for|company|agency|firm|organi[sz]ation|api|network)\b)",
        text,
    )
    match = _named_after(text) or match
    if match is None or _NEGATED.search(text, 0, match.start()):
        return None
    if match["kin"] and not match["name"] and match["kin"].lower().endswith("ers"):
        return None  # "my little brothers birthday" is of one
    if match["kin"] and not match["name"] and not re.fullmatch(close, match["kin"], re.IGNORECASE):
        return None
    return _there_is(match, "relationships" if match["kin"] else "pets")


def _named_after(text: str) -> re.Match[str] | None:
    """Return somebody whose name stands behind the verb: "my half sister rang, Carla"."""
    words = grammar().words
    match = re.search(
        rf"(?i)^the user's (?P<who>(?:[\w-]+ )?(?:(?P<kin>{words['relation']})"
        rf"|(?P<animal>{words['animal']})))"
        rf" \w+(?: \w+)?, (?P<name>(?-i:[A-Z][a-zà-ÿ]+))(?P<of>)(?=[,.!]|$)",
        text,
    )
    return match if match is not None and match["name"].lower() in first_names() else None


def _there_is(match: re.Match[str], category: Category) -> Claim | None:
    who, name = match["who"].lower(), (match["name"] or "").removesuffix("'s")
    key = singular(match["kin"] or match["animal"])
    if _NOT_HAD.match(who):
        return None
    if not name and key in _EVERYBODY_HAS:
        return None
    if name:
        told = (Statement(f"{key}/name", name, key in _UNIQUE), Statement("named", name, False))
        return Claim(
            category,
            USUAL[category],
            f"The user's {one_of(who)} is called {name}.",
            told,
            "mentioned by name",
        )
    plural = who.endswith("s") and key != who.split()[-1]
    noun = (
        who
        if plural or who.split()[-1] in ("kids", "children", "family")
        else f"{'an' if who[0] in 'aeiou' else 'a'} {who}"
    )
    slot = f"pet:{key}" if category == "pets" else f"has:{key}"
    return Claim(
        category, USUAL[category], f"The user has {noun}.", (Statement(slot, key, False),), "mentioned"
    )


_NOT_HAD: Final = re.compile(r"(?:own|late|former|ex)\b|lab$")
"""Words before somebody who is not there, and an animal that mostly is a laboratory."""


def with_importance(of: Claim, importance: Importance) -> Claim:
    """Return the claim with another importance."""
    return replace(of, importance=importance)
