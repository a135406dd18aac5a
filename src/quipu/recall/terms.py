"""Terms that find a text: stems, identifiers, pairs of characters in writing without word borders.

With them go whether a text tells of a time, and its passage with most of the terms of a question.

The language of a text is told by its smallest words. Each list holds the commonest function words of a
language (our own selection). They serve twice: they are skipped when a text is indexed, and their number
tells the languages apart.
"""

from __future__ import annotations

import re
import threading
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Protocol, cast

import numpy as np
import Stemmer
from numpy.typing import NDArray

# Scripts whose writing does not mark where a word ends: Han, kana, Thai, Lao, Khmer, Myanmar.
_BORDERLESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUN = re.compile(f"[{_BORDERLESS}]+")
_WORD = re.compile(f"[^\\W_{_BORDERLESS}]+")

# An identifier or path: parts joined by a sign that prose does not put inside a word.
# (The look behind and the ++ keep it linear: a long run of letters is looked at once, not once from each.)
_JOINED = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]++(?:[_./:@\\#-][A-Za-z0-9]++)+")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_HYPHENS = str.maketrans("", "", "-")  # well-known is prose, well_known is a name
_APOSTROPHE = re.compile(r"(?<=\w)['’](?=\w)")
_LONGEST_WORD = 64
_MOST_TERMS = 4096
_MOST_CHARACTERS = 400_000
LONG_CHARACTERS = 2_000
_PASSAGE_CHARACTERS = 1_000
_PASSAGE_END = re.compile(r"\n\s*\n|(?<=[.!?。！？])\s+|\n")
DEFAULT = "english"
_WORDS = {
    "english": (
        "a about above after again all also am an and any are as at be because been before being "
        "below between both but by can could did do does doing don down during each few for from "
        "further had has have having he her here hers herself him himself his how i if in into is isn "
        "it its itself just let ll me more most my myself no nor not now of off on once only or other "
        "our ours ourselves out over own re s same she should so some such t than that the their "
        "theirs them themselves then there these they this those through to too under until up ve "
        "very was we were what when where which while who whom why will with would you your yours "
        "yourself yourselves d m tell ever didn doesn wasn weren aren couldn wouldn won haven hasn "
        "hadn shouldn"
    ),
    "german": (
        "aber als am an auch auf aus bei bin bis bist da damit das dass dein dem den der des die dir "
        "doch du ein eine einem einen einer eines er es für habe haben hat hatte ich ihm ihn ihr im "
        "in ist ja kann kein keine man mein meine mich mir mit nach nicht noch nur ob oder schon sein "
        "seine sich sie sind so über um und uns unser vom von vor war waren was weil wenn wer wie "
        "wieder wir wird wo wurde zu zum zur wann welche welcher welches"
    ),
    "spanish": (
        "a al algo antes como con cual cuando de del desde donde dos el ella ellos en entre era es "
        "esa ese eso esta estaba este esto estoy fue ha hace hacia hasta hay he la las le les lo los "
        "me mi mis mucho muy más nada ni no nos nosotros o para pero por porque que quien qué se ser "
        "si sin sobre son su sus sí también te tiene tu tus un una uno unos y ya yo cuándo dónde cómo "
        "quién"
    ),
    "french": (
        "ai au aux avec c ce ces cette d dans de des du elle en est et eu il ils j je l la le les "
        "leur lui m ma mais me mes moi mon n ne nos notre nous on ou où par pas pour qu que qui s sa "
        "se ses son sont sur t ta te tes toi ton tu un une vos votre vous y à été être était quand "
        "comment pourquoi quel quelle"
    ),
    "italian": (
        "a ad al alla anche che chi ci come con cosa da dal dalla dei del della di dove e ed era gli "
        "ha hai ho i il in io la le lei lo loro lui ma mi mia mio nei nel nella no noi non o per "
        "perché più quando quanto questa questo se sei si sia sono su sua suo tu un una uno vi voi è "
        "quale"
    ),
    "portuguese": (
        "a ao aos as até com como da das de depois do dos e ela ele eles em entre era essa esse esta "
        "este eu foi há isso isto já lhe mais mas me meu minha muito na nas nem no nos nós não o os "
        "ou para pela pelo por porque qual quando que quem se sem ser seu sua são também te tem um "
        "uma você à é onde"
    ),
    "dutch": (
        "aan als bij dan dat de der deze die dit doen door een en er ge had heb hebben heeft hem het "
        "hij hoe hun ik in is ja je kan maar me mijn niet nog nu of om ons ook op over te tot u uit "
        "van veel voor was wat we wel werd wie wij wil worden zal ze zich zij zijn zo waar wanneer "
        "welke"
    ),
    "swedish": (
        "alla att av blev bli då de dem den det detta dig din du där efter ej eller en er ett från "
        "för ha hade han har hon hur här i icke inte jag ju kan kunde man med men mig min mycket ni "
        "nu när något och om oss på sedan sig sin ska skulle som så till under upp ut var vad varför "
        "vem vi vid är"
    ),
    "danish": (
        "af alle at blev da de dem den der deres det dig din disse du efter eller en er et for fra "
        "ham han har havde hende her hun hvad hvem hvis hvor hvorfor hvornår i ikke ind jeg jo kan "
        "kunne man mange med meget men mig min når og også om op os på selv sig sin skal som så til "
        "ud var ved vi vil"
    ),
    "russian": (
        "а без бы был была были было быть в вам вас весь во вот все всё вы где да для до его ее её "
        "если есть еще ещё же за и из или им их к как когда кто ли мне меня мой моя мы на нам нас не "
        "него нет ни но ну о об он она они от по под при с со так там то только ты у уже что чтобы "
        "это я какой какая почему"
    ),
    "finnish": (
        "ei en että he hän ja jo joka jos kanssa kuin kun kuka me mikä mitä minä minun mutta myös ne "
        "niin nyt oli olen olla on ovat se sen sinä siitä tai te tämä vain voi koska missä milloin"
    ),
    "turkish": (
        "ama bana ben bir biz bu bunu da daha de değil diye en gibi hem her için ile ise kadar ki kim "
        "mi mu ne neden nerede o olarak oldu onu sen siz ve veya ya yok çok şey nasıl zaman"
    ),
}
STOP: Mapping[str, frozenset[str]] = MappingProxyType({k: frozenset(v.split()) for k, v in _WORDS.items()})
KNOWN = tuple(STOP)
_SPEAKING = {
    word: tuple(language for language in KNOWN if word in STOP[language])
    for words in STOP.values()
    for word in words
}

_MONTH_NAMES = """
january jan januar enero janvier gennaio
february feb februar febrero février febbraio
march mar märz marzo mars
april apr abril avril aprile
may mai mayo maggio
june jun juni junio juin giugno
july jul juli julio juillet luglio
august aug agosto août
september sep sept septiembre septembre settembre
october oct oktober octubre octobre ottobre
november nov noviembre novembre
december dec dezember diciembre décembre dicembre
"""
MONTHS = {
    name: number for number, names in enumerate(_MONTH_NAMES.split("\n")) for name in names.split()
}  # the first line is empty: January is 1
_SURE_MONTHS = "|".join(name for name in MONTHS if name not in ("may", "mar"))  # words of other meaning
_TIME_WORDS = re.compile(
    rf"(?i)\b(?:{_SURE_MONTHS}|in may"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekend"
    r"|today|tonight|tomorrow|yesterday|morning|evening|ago|last|next|since|until"
    r"|weeks?|months?|years?|days|spring|summer|autumn|winter"
    r"|christmas|easter|halloween|thanksgiving|birthday|anniversary"
    r"|gestern|heute|morgen|woche|monat|jahr|vor|seit|ayer|hoy|mañana|semana|mes|año|hace"
    rf"|hier|demain|semaine|mois|(?:19|20)\d\d|\d{{1,2}}:\d\d)\b"
    r"|[年月日天周週]|昨|今|明|先週|来週|เมื่อวาน"
)


@dataclass(frozen=True, slots=True)
class Bag:
    """The terms of one text.

    ``hashes``: int32, distinct, ascending. ``occurrences``: how often each occurs. ``tokens``: their sum.
    ``words``: all words of the text, those that are too common to be filed included.
    """

    hashes: NDArray[np.int32]
    occurrences: NDArray[np.int16]
    tokens: int
    words: int
    language: str


def bag(text: str, *, language: str = "auto", fallback: str = DEFAULT) -> Bag:
    """Return the terms of ``text``, the most frequent 4,096 if it is very long.

    ``language`` is a name of ``languages.KNOWN``, or "auto" to tell it from the text (``fallback`` when
    the text is too short to tell). Only the first 400,000 characters are read.
    """
    text = unicodedata.normalize("NFKC", text[:_MOST_CHARACTERS])
    plain = _words(text)
    chosen = detect(plain, fallback=fallback) if language == "auto" else language
    counts = Counter(_stems(plain, chosen))
    pairs = _pairs(text)
    counts.update(pairs)
    counts.update(_identifiers(text))
    common = counts.most_common(_MOST_TERMS)
    hashes = np.fromiter((term_hash(term) for term, _ in common), dtype=np.int32, count=len(common))
    occurrences = np.fromiter((min(n, 32_000) for _, n in common), dtype=np.int16, count=len(common))
    hashes, first = np.unique(hashes, return_index=True)
    return Bag(hashes, occurrences[first], int(sum(counts.values())), len(plain) + len(pairs), chosen)


def question_terms(question: str, languages: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return each thing that a question asks for, with its possible hashes, one for each language."""
    text = unicodedata.normalize("NFKC", question[:20_000])
    found: dict[str, dict[int, None]] = {}
    words = _words(text)
    skipped = frozenset[str]().union(*(STOP[language] for language in languages))
    for word in words:
        if word in skipped:
            continue
        for language in languages:
            for stem in _stems([word], language):
                found.setdefault(word, {})[term_hash(stem)] = None
    for term in [*_pairs(text), *_identifiers(text)]:
        found.setdefault(term, {})[term_hash(term)] = None
    seen: set[tuple[int, ...]] = set()
    distinct: dict[str, tuple[int, ...]] = {}
    for term, hashes in found.items():
        key = tuple(hashes)
        if key not in seen:
            seen.add(key)
            distinct[term] = key
    return distinct


def tells_time(text: str) -> bool:
    """Return True if a text mentions a time (in its first 4,000 characters)."""
    return bool(_TIME_WORDS.search(text[:4000]))


def best_passage(text: str, terms: Mapping[str, tuple[int, ...]]) -> tuple[int, int] | None:
    """Return the place of the passage with most of the terms: (start, end); None if ``text`` is short.

    Passages end at paragraphs or sentences and have about 1,000 characters; the first wins a tie.
    """
    if len(text) <= LONG_CHARACTERS:
        return None
    places = passages(text[:_MOST_CHARACTERS])
    return max(places, key=lambda place: len(_held(text[slice(*place)], terms)))


def passage(text: str, terms: Mapping[str, tuple[int, ...]], *, most: int) -> str:
    """Return the passage of at most ``most`` characters with most of the terms, whole sentences if possible.

    What is left out is shown by an ellipsis at that end. A shorter ``text`` is returned as it is.
    """
    if len(text) <= most:
        return text
    borders = [0, *_pieces(text[:_MOST_CHARACTERS], most=most)]
    held = [_held(text[start:end], terms) for start, end in pairwise(borders)]
    best, found = (0, borders[1]), -1
    for first, last in _windows(borders, most=most):
        score = len(set[int]().union(*held[first:last]))
        if score > found:
            best, found = (borders[first], borders[last]), score
    start, end = best
    return f"{'… ' if start else ''}{text[start:end].strip()}{' …' if end < len(text) else ''}"


def _windows(borders: Sequence[int], *, most: int) -> Iterator[tuple[int, int]]:
    """Yield the first and the last border of each row of pieces that fits, beginning at every piece."""
    last = 1
    for first in range(len(borders) - 1):
        last = max(last, first + 1)
        while last + 1 < len(borders) and borders[last + 1] - borders[first] <= most:
            last += 1
        yield first, last


def _held(text: str, terms: Mapping[str, tuple[int, ...]]) -> set[int]:
    """Return the numbers of the terms that a text has."""
    held = set(bag(text).hashes.tolist()) if terms else set[int]()
    return {number for number, hashes in enumerate(terms.values()) if not held.isdisjoint(hashes)}


def passages(text: str) -> Iterator[tuple[int, int]]:
    """Cut a text into passages: (start, end), without gaps, none longer than twice the usual length."""
    start, end = 0, 0
    for piece in _pieces(text, most=_PASSAGE_CHARACTERS):
        if end > start and piece - start > _PASSAGE_CHARACTERS:
            yield start, end
            start = end
        end = piece
    if end > start:
        yield start, end


def _pieces(text: str, *, most: int) -> Iterator[int]:
    """Yield the ends of the smallest pieces that may be told apart, none longer than ``most``."""
    at = 0
    for place in [*(m.end() for m in _PASSAGE_END.finditer(text)), len(text)]:
        while place - at > most:
            at += most
            yield at
        if place > at:
            at = place
            yield at


@lru_cache(maxsize=65_536)
def term_hash(term: str) -> int:
    """Return the signed 32-bit number that a term is filed under (CRC-32)."""
    number = zlib.crc32(term.encode("utf-8", "surrogatepass"))
    return number - (1 << 32) if number >= 1 << 31 else number


@lru_cache(maxsize=65_536)
def fold(word: str) -> str:
    """Remove accents: café and cafe are one word."""
    if word.isascii():
        return word
    return "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))


def detect(words: Iterable[str], *, fallback: str = DEFAULT) -> str:
    """Return the language of most function words in ``words`` (lower case); ``fallback`` when unsure.

    Sure means at least three of them, and clearly more than the runner-up has.
    """
    counts = Counter(language for word in words for language in _SPEAKING.get(word, ()))
    (first, best), (_, second) = [*counts.most_common(2), ("", 0), ("", 0)][:2]
    return first if best >= 3 and best >= 1.2 * second else fallback


def _words(text: str) -> list[str]:
    return [w for w in _WORD.findall(_APOSTROPHE.sub(" ", text).lower()) if len(w) <= _LONGEST_WORD]


def _stems(words: Sequence[str], language: str) -> list[str]:
    skipped = STOP[language]
    stems = _stemmers.of(language).stemWords([w for w in words if w not in skipped])
    return [fold(stem) for stem in stems]


class _Stemmer(Protocol):
    """Part of PyStemmer that we use; the package has no types."""

    def stemWords(self, words: Sequence[str], /) -> list[str]: ...


class _Stemmers(threading.local):
    """A stemmer must not be shared by threads."""

    def __init__(self) -> None:
        self._made: dict[str, _Stemmer] = {}

    def of(self, language: str) -> _Stemmer:
        if language not in self._made:
            self._made[language] = cast(_Stemmer, Stemmer.Stemmer(language))  # pyright: ignore[reportUnknownMemberType]
        return self._made[language]


_stemmers = _Stemmers()


def _pairs(text: str) -> list[str]:
    """Return pairs of neighbouring characters in writing without word borders; a lone one stands alone."""
    found: list[str] = []
    for run in _RUN.findall(text):
        found.extend(run[i : i + 2] for i in range(len(run) - 1)) if len(run) > 1 else found.append(run)
    return found


def _identifiers(text: str) -> list[str]:
    """Return names from code: ``user_id`` and ``src/app.py`` whole, ``parseHTTPHeader`` in its parts."""
    joined = (j for j in _JOINED.findall(text) if len(j) <= 128 and not j.translate(_HYPHENS).isalnum())
    found = [j.lower() for j in joined]
    for word in set(_WORD.findall(text)):
        if not word.islower() and word.isascii() and 3 < len(word) <= _LONGEST_WORD:
            parts = _CAMEL.findall(word)
            if len(parts) > 1:
                found.extend(part.lower() for part in parts if len(part) > 1)
    return found
