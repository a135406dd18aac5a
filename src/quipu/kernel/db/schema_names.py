"""Names of an agent's schema: inside PostgreSQL, and everywhere else. Pure.

PostgreSQL's names of schemas are shared by all spaces of a database, so the schema ``memory`` of the seventh
space is called ``memory_s7`` there. Nobody outside has to know: answers and errors name a table alone
(``boats``), as SQL does, and the schema as whoever made it. This is the only place that translates.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from quipu.kernel.db.tokens import Token, tokens


@dataclass(frozen=True, slots=True)
class SchemaNames:
    """Both names of a schema: ``name`` is what callers call it, ``internal`` what PostgreSQL calls it."""

    name: str
    internal: str

    def in_message(self, text: str) -> str:
        """Return a text of PostgreSQL as callers read it: ``relation "memory_s7.boats"`` names ``boats``.

        A table, a column or a value that is called like the schema stays as it is.
        """
        internal = re.escape(self.internal)
        # In front of a name, which may be quoted; but not inside of a quoted name that follows a dot.
        text = re.sub(rf'(?<!\.")(?<![\w.$]){internal}\.(?=[\w"])', "", text)
        return re.sub(rf'\b(schema "?){internal}(?![\w.$])', rf"\g<1>{self.name}", text)

    def in_plan(self, value: object) -> object:
        """Return a plan of EXPLAIN, in any of its forms, with the names that callers know."""
        if isinstance(value, str):
            internal = re.escape(self.internal)
            return re.sub(rf"(?<![\w$]){internal}(?![\w$])", self.name, self.in_message(value))
        if isinstance(value, Mapping):
            items = cast("Mapping[str, object]", value).items()
            return {name: self.in_plan(one) for name, one in items}
        if isinstance(value, list):
            return [self.in_plan(one) for one in cast("list[object]", value)]
        return value

    def in_sql(self, text: str) -> str:
        """Return SQL that PostgreSQL wrote with names alone; it means the same on the schema's logins.

        Of literals only those that name a relation change: ``nextval('memory_s7.boats_id_seq'::regclass)``.
        """
        words = [one for one in tokens(text) if one.sort not in {"space", "comment"}]
        cuts: list[tuple[int, int]] = []
        for place, token in enumerate(words):
            texts = [one.text for one in words[place + 1 : place + 3]]
            if token.text == self.internal and texts[:1] == ["."] and _begins(words, place):
                cuts.append((token.start, words[place + 1].end))
            elif token.text.startswith(f"'{self.internal}.") and texts == ["::", "regclass"]:
                cuts.append((token.start + 1, token.start + len(self.internal) + 2))
        for start, end in reversed(cuts):
            text = text[:start] + text[end:]
        return text


def _begins(words: Sequence[Token], place: int) -> bool:
    """Return True if no dot stands in front."""
    return place == 0 or words[place - 1].text != "."
