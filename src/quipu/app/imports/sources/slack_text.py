"""Slack's markup of messages: people, channels, links and dates in angle brackets, as readers saw them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_MARKED: Final = re.compile(r"<([^<>\n]*)>")
_ENTITY: Final = re.compile(r"&(amp|lt|gt);")
_ENTITIES: Final = {"amp": "&", "lt": "<", "gt": ">"}


def plain(text: str, *, people: Mapping[str, str], channels: Mapping[str, str]) -> tuple[str, list[str]]:
    """Return a text as readers saw it, and the addresses of its links that a label stands for.

    ``people`` and ``channels`` have names by ids; one that is unknown is named by its id.
    """
    links: list[str] = []

    def shown(mark: re.Match[str]) -> str:
        given, _, label = mark[1].partition("|")
        match given[:1]:
            case "@":
                return "@" + (people.get(given[1:]) or label.removeprefix("@") or given[1:])
            case "#":
                return "#" + (channels.get(given[1:]) or label.removeprefix("#") or given[1:])
            case "!":
                return _special(given[1:], label)
            case _:
                if given and label and label not in (given, given.removeprefix("mailto:")):
                    links.append(_unescaped(given))
                return label or given

    return _unescaped(_MARKED.sub(shown, text)), links


def _special(given: str, label: str) -> str:
    """Return a date or a group as it was shown, or a word such as ``@channel``."""
    if given.startswith("date^"):
        return label
    word = label.removeprefix("@") or given.partition("^")[0]
    return f"@{word}" if word else ""


def _unescaped(text: str) -> str:
    return _ENTITY.sub(lambda found: _ENTITIES[found[1]], text)
