"""Words that reveal an object's name by its number, refused in readers' queries. Pure.

`16500::regclass` is the name of that table, whosever it is: PostgreSQL asks for no right there, and no right
can be taken. A query that is a select, with no function of an agent in it, can get at such a type only by its
name, by a row of the catalogue that has a column of it, or by a function that returns it; of functions that
take one, those of sequences, and those that read a type from text by its number, name what they refuse. All
of these are words of the statement.
"""

from __future__ import annotations

import re
from typing import Final

from quipu.errors import BadInput
from quipu.kernel.db.tokens import tokens

_TYPES: Final = (
    "reg(?:class|collation|config|database|dictionary|namespace|oper|operator|proc|procedure|role|type)"
)
_ROWS: Final = (
    "pg_(?:aggregate|am|amproc|conversion|operator|prepared_statements|proc|range|sequences|transform"
    "|ts_parser|ts_template|type)"
)
_READ: Final = "(?:array|domain|enum|multirange|range|record)_in"
_FUNCTIONS: Final = f"pg_typeof|get_current_ts_config|nextval|currval|setval|{_READ}"
_WORD: Final = rf"(?:_?{_TYPES}(?:in|out|recv|send)?|to_{_TYPES}|_?{_ROWS}|{_FUNCTIONS})"
_ANYWHERE: Final = re.compile(_WORD)
_WHOLE: Final = re.compile(rf'"?{_WORD}"?')
_BETWEEN: Final = ("space", "comment")
_ESCAPES: Final = re.compile(r'u&"')
_HINT: Final = "Ask by names: the tables and columns that a query reads are listed for it."


def names_numbers(word: str) -> bool:
    """Return whether a word tells names by numbers."""
    return _WHOLE.fullmatch(word.lower()) is not None


def refuse_numbered(statement: str) -> None:
    """Refuse a query that could tell the names of objects by their numbers.

    In a literal such a word is only a word, but not where how the literal ends is hard to see: in one with
    escapes.

    Raises:
        BadInput: it has a word that turns numbers into names, or runs code of its own.
    """
    first = next((one for one in tokens(statement) if one.sort not in _BETWEEN and one.text != ";"), None)
    if first is not None and first.text.lower() == "do":
        raise BadInput("a query runs no DO.", field="sql", hint="Ask with a select.")
    folded = statement.lower()
    if _ESCAPES.search(folded):
        raise BadInput("a query has no names with escapes (U&).", field="sql", hint="Write the name plainly.")
    if not _ANYWHERE.search(folded):
        return
    for token in tokens(statement):
        if token.sort in {"word", "quoted"} and names_numbers(token.text):
            raise BadInput(
                f"{token.text} is not for queries: it tells names by numbers, also of what others have.",
                field="sql",
                hint=_HINT,
            )
        if token.sort == "escaped":
            raise BadInput(
                "a query that names types such as regclass has no literals with escapes (E'…').",
                field="sql",
                hint="Write the literal without E in front.",
            )
