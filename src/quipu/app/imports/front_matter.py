"""Front matter of a Markdown file: YAML between lines of three dashes, read as texts, lists and objects.

Nothing in it is constructed: tags, anchors and aliases are refused, and it has at most 32 KB and 20 levels.
"""

from __future__ import annotations

import re
from typing import Any, Final

import yaml

from quipu.app.imports.fields import object_of
from quipu.app.imports.found import JSON

_MOST_CHARACTERS: Final = 1 << 15
_DEEPEST: Final = 20
_OPENING: Final = re.compile(r"\ufeff?---[ \t]*\r?\n")
_CLOSING: Final = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)
_YAML: Final[Any] = yaml
_LOADER: Final = getattr(_YAML, "CBaseLoader", _YAML.BaseLoader)  # it makes texts alone; in C where that is
_OPENS: Final = (yaml.SequenceStartEvent, yaml.MappingStartEvent)
_CLOSES: Final = (yaml.SequenceEndEvent, yaml.MappingEndEvent)


class NoFrontMatter(Exception):
    """No YAML that is read stands between the dashes; its text says why."""


def split(text: str) -> tuple[str | None, str]:
    """Return the front matter of a text, None if it has none, and the rest."""
    if (opening := _OPENING.match(text)) is None:
        return None, text
    if (closing := _CLOSING.search(text, opening.end())) is None:
        return None, text
    return text[opening.end() : closing.start()], text[closing.end() :].removeprefix("\n")


def parsed(front: str) -> dict[str, JSON]:
    """Return the fields of a front matter: texts, lists and objects of them; null is left out.

    Numbers, truth values and times stay texts, so that nothing is taken for what it is not.

    Raises:
        NoFrontMatter: it is no YAML, no object, too long, too deep, or has a tag, an anchor or an alias.
    """
    if len(front) > _MOST_CHARACTERS:
        raise NoFrontMatter(f"it has more than {_MOST_CHARACTERS:,} characters")
    try:
        _check(front)
        loaded = _YAML.load(front, Loader=_LOADER)
    except yaml.YAMLError as error:
        raise NoFrontMatter(f"it is no YAML: {' '.join(str(error).split())[:200]}") from error
    except (ValueError, RecursionError) as error:  # such as a character that no text may have
        raise NoFrontMatter(f"it is no YAML: {error}") from error
    if loaded in (None, ""):
        return {}
    if not isinstance(loaded, dict):
        raise NoFrontMatter("it is no list of fields")
    return {str(name): value for name, value in object_of(loaded).items() if value not in ("", "null", "~")}


def _check(front: str) -> None:
    """Refuse what could be more than it is, before anything is made of it."""
    depth = 0
    documents = 0
    for event in _YAML.parse(front, Loader=_LOADER):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise NoFrontMatter("it has an anchor or an alias, which are not read")
        if getattr(event, "tag", None) is not None:
            raise NoFrontMatter("it has a tag, which is not read")
        depth += isinstance(event, _OPENS) - isinstance(event, _CLOSES)
        documents += isinstance(event, yaml.DocumentStartEvent)
        if depth > _DEEPEST:
            raise NoFrontMatter(f"it is nested more than {_DEEPEST} deep")
        if documents > 1:
            raise NoFrontMatter("it has several documents")
