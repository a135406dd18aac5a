"""Cutting of documents into passages: pieces that are found by meaning, with where they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath
from types import MappingProxyType
from typing import Final

from quipu.kernel.redact import redact
from quipu.kinds.documents.forms import code, html, prose
from quipu.kinds.documents.forms.prose import Section
from quipu.kinds.documents.model import JSON, Passage
from quipu.kinds.documents.rules import at_path
from quipu.recall.terms import passages as cut

Form = Callable[[str], Iterator[Section]]

_WHOLE_CHARACTERS: Final = 1_000
_LONGEST_HEADING: Final = 500
_CODE: Final = (
    ".bash .c .cc .cjs .clj .cpp .cs .css .cxx .dart .el .erl .ex .exs .fish .go .graphql .h .hh .hpp .hs"
    " .java .jl .js .jsx .kt .kts .less .lisp .lua .m .mjs .ml .mm .nim .php .pl .pm .proto .ps1 .py .pyi"
    " .r .rb .rs .scala .scss .sh .sol .sql .svelte .swift .tf .ts .tsx .v .vim .vue .zig .zsh"
)
_FORMS: Final = MappingProxyType(
    {
        **dict.fromkeys((".md", ".markdown", ".mdx"), prose.markdown),
        **dict.fromkeys((".html", ".htm", ".xhtml"), html.sections),
        ".pdf": prose.pages,
        **dict.fromkeys(_CODE.split(), code.sections),
    }
)


def form_of(key: str) -> Form:
    """Return the form of a body by the ending of its key."""
    return _FORMS.get(PurePath(key).suffix.lower(), prose.plain)


def passages(
    value: JSON, body: str | None, *, key: str, index: Sequence[str], secrets: bool
) -> tuple[Passage, ...]:
    """Return the pieces of a document that are found by meaning, without secrets where these are cut.

    Of the value that is what stands at the paths of ``index``; the body belongs to ``$``. A text of more than
    1,000 characters is cut at paragraphs and sentences. What stands in a document twice is one passage.
    """
    cuts = [piece for path in index for said in at_path(value, path) for piece in _cut(said, path)]
    if body is not None and "$" in index:
        cuts += [piece for section in form_of(key)(body) for piece in _section(section)]
    found: dict[tuple[str, str | None, str], Passage] = {}
    for one in cuts:
        said = redact(one.text).text if secrets else one.text
        made = Passage(field=one.field, text=said, heading=one.heading, line=one.line)
        found.setdefault((made.field, made.heading, said), made)
    return tuple(found.values())


def _section(section: Section) -> Iterator[Passage]:
    heading = section.heading and section.heading[:_LONGEST_HEADING]
    return _cut(section.text, "", heading=heading, lines=section.lines)


def _cut(
    text: str, field: str, *, heading: str | None = None, lines: Sequence[int] | None = None
) -> Iterator[Passage]:
    """Cut a text; ``lines`` are those of the body that its lines stand on."""
    spans = [(0, len(text))] if len(text) <= _WHOLE_CHARACTERS else cut(text)
    at = 0
    for start, end in spans:
        piece = text[start:end]
        if said := piece.strip():
            first = at + piece[: len(piece) - len(piece.lstrip())].count("\n")
            yield Passage(
                field=field, text=said, heading=heading, line=None if lines is None else lines[first]
            )
        at += piece.count("\n")
