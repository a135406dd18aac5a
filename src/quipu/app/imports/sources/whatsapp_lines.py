"""Lines of WhatsApp's chats: how a message begins, and in which order its date stands. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

Order = Literal["dmy", "mdy", "ymd"]

_MARKS: Final = "\u200e\u200f\u202a\u202c\ufeff"  # marks of direction, and a byte order mark
_SPACES: Final = str.maketrans({"\u202f": " ", "\u00a0": " ", "\u2009": " "})
_DIGITS: Final = str.maketrans("٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹", "0123456789" * 2)
_DATE: Final = r"(?P<first>\d{1,4})[./-] ?(?P<second>\d{1,2})[./-] ?(?P<third>\d{1,4})"
_HALF: Final = r"(?P<{}>[AaPp]\.? ?[Mm]\.?|上午|下午|午前|午後|오전|오후|ص|م)"
_GAP: Final = "[.]?(?:,|،| à| um| at)? "  # between the date and the time
_TIME: Final = (
    rf"(?:{_HALF.format('before')} ?)?(?P<hour>\d{{1,2}})[:.](?P<minute>\d\d)(?:[:.](?P<second_of>\d\d))?"
    rf"(?: ?{_HALF.format('after')})?"
)
_IOS: Final = re.compile(rf"\[{_DATE}{_GAP}{_TIME}\] (?P<rest>.*)")
_ANDROID: Final = re.compile(rf"{_DATE}{_GAP}{_TIME}(?: [-–]|,) (?P<rest>.*)")
_SENDER: Final = re.compile(r"(?P<sender>[^:\"“”«»]{1,100}): ?(?P<text>.*)")
_AFTERNOON: Final = ("p", "下", "午後", "오후", "م")


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first line of a message: its date as it stands there, its time, who spoke, and what follows.

    ``sender`` is None for a notice. ``is_marked``: the text begins with a mark that iOS puts before what it
    wrote itself, such as where an image was. ``is_american``: the date looks as phones in America write it.
    """

    date: tuple[int, int, int]
    hour: int
    minute: int
    second: int
    sender: str | None
    text: str
    is_marked: bool
    is_american: bool

    def time(self, order: Order) -> datetime | None:
        """Return the time in the zone of the phone, without one; None if there is no such time."""
        day, month, year = _ordered(self.date, order)
        try:
            return datetime(
                year if year > 99 else 2000 + year, month, day, self.hour, self.minute, self.second
            )
        except ValueError:
            return None


def beginning(line: str) -> Beginning | None:
    """Return the beginning of a message, if a line is one."""
    bare = line.lstrip(_MARKS)
    spaced = bare.translate(_SPACES).translate(_DIGITS)
    found = _IOS.match(spaced) or _ANDROID.match(spaced)
    if found is None:
        return None
    rest = bare[found.start("rest") :]
    said = _SENDER.fullmatch(rest.lstrip(_MARKS))
    text = said["text"] if said else rest
    return Beginning(
        date=(int(found["first"]), int(found["second"]), int(found["third"])),
        hour=_hour(int(found["hour"]), found["before"] or found["after"]),
        minute=int(found["minute"]),
        second=int(found["second_of"] or 0),
        sender=said["sender"].translate(_SPACES).strip(_MARKS + "~ ") or None if said else None,
        text=text.strip(_MARKS + " ") if text[:1] in _MARKS else text.rstrip(),
        is_marked=text[:1] == "\u200e",
        is_american=len(found["third"]) == 2 and (found["after"] or "")[:1] in ("A", "P"),
    )


def _hour(hour: int, half: str | None) -> int:
    if half is None:
        return hour
    return hour % 12 + (12 if half.lower().startswith(_AFTERNOON) else 0)


def _ordered(date: tuple[int, int, int], order: Order) -> tuple[int, int, int]:
    """Return day, month and year."""
    first, second, third = date
    match order:
        case "dmy":
            return first, second, third
        case "mdy":
            return second, first, third
        case "ymd":
            return third, second, first


@dataclass(slots=True)
class Dates:
    """Dates of a whole file, as far as they tell in which order they are written."""

    steps_back: dict[Order, int] = field(default_factory=lambda: {"dmy": 0, "mdy": 0, "ymd": 0})
    impossible: dict[Order, int] = field(default_factory=lambda: {"dmy": 0, "mdy": 0, "ymd": 0})
    last: dict[Order, datetime] = field(default_factory=dict[Order, datetime])
    american: int = 0
    messages: int = 0

    def add(self, begun: Beginning) -> None:
        """Take the date of one message, in the order of the file."""
        self.messages += 1
        self.american += begun.is_american
        orders: Iterable[Order] = ("ymd",) if begun.date[0] > 31 else ("dmy", "mdy")
        for order in self.impossible:
            time = begun.time(order) if order in orders else None
            if time is None:
                self.impossible[order] += 1
                continue
            self.steps_back[order] += time < self.last.get(order, time)
            self.last[order] = time

    def order(self) -> tuple[Order, bool]:
        """Return the order, and True if the file does not tell: then it is as the dates look.

        It is that in which most dates exist, and of these that in which fewest messages go back in time.
        """
        usual: Order = "mdy" if self.american * 2 > self.messages else "dmy"
        orders: tuple[Order, ...] = (usual, "dmy", "mdy", "ymd")
        counted = {one: (self.impossible[one], self.steps_back[one]) for one in orders}
        best = min(orders, key=lambda one: counted[one])
        return best, best != "ymd" and counted["dmy"] == counted["mdy"]
