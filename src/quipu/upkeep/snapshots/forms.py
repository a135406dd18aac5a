"""Forms of statements in a dump, and which of them may be run. Pure.

The list names the forms that pg_dump writes for one schema; every other form is refused. It is the second
line of defence: all statements run on the login of the schema's own writer, which may do nothing else. See
docs/decisions/snapshots.md.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from quipu.errors import BadInput
from quipu.kernel.db.schema_names import SchemaNames
from quipu.kernel.db.tokens import Token, tokens
from quipu.upkeep.snapshots.reader import SPACES, Statement

Step = Literal["skip", "run", "rows", "reference", "later"]
"""skip: the engine has it already. rows: the rows of a table follow. reference: a foreign key, added when all
rows are there. later: what must not act on rows as they come (triggers, rules) or is computed of them."""

REGISTRY: Final = "schema_registry"
REGISTRY_COLUMNS: Final = ("table_name", "description", "embeddable_fields", "created_at", "updated_at")

# What a dump sets for the session of psql. We set what we need ourselves.
_SETTINGS: Final = frozenset(
    {
        "statement_timeout",
        "lock_timeout",
        "idle_in_transaction_session_timeout",
        "transaction_timeout",
        "client_encoding",
        "standard_conforming_strings",
        "check_function_bodies",
        "xmloption",
        "client_min_messages",
        "row_security",
        "default_tablespace",
        "default_table_access_method",
    }
)
_SEARCH_PATH: Final = "select pg_catalog.set_config('search_path', '', false)"
_SETVAL: Final = re.compile(r"SELECT pg_catalog\.setval\('(?:[^']|'')+', -?[0-9]+, (?:true|false)\)")
# A view that groups by a key is written twice: first without a body, then whole (or replace).
_KINDS: Final = frozenset(
    tuple(words.split())
    for words in (
        "table",
        "unlogged table",
        "sequence",
        "unlogged sequence",
        "view",
        "or replace view",
        "materialized view",
        "type",
        "domain",
        "statistics",
    )
)
_COMMENTED: Final = frozenset({("column",), ("index",), *_KINDS})
_COMMENTED_ON: Final = frozenset({"constraint", "trigger", "rule", "policy"})
_OUR_TRIGGER: Final = re.compile(r"quipu_[a-z]+_[0-9]+")
_REFUSED: Final = "Only what a dump of a schema holds is taken, as an exported snapshot is."


@dataclass(frozen=True, slots=True)
class Order:
    """Order for a statement. ``relation`` is the name of what it is about, if that counts.

    ``columns``: of rows that follow.
    """

    step: Step
    relation: str = ""
    columns: tuple[str, ...] = ()


def order(statement: Statement, schema: str, *, protected: Collection[str], code: bool) -> Order:
    """Decide what to do with a statement of the dump of ``schema``.

    ``code``: functions, triggers, rules and policies may be in it. ``protected`` are relations of the engine.

    Raises:
        BadInput: a dump of that schema has no such statement.
    """
    judgement = _Judgement(statement, schema, frozenset(protected), code)
    match statement.lower(0):
        case "set":
            return judgement.setting()
        case "select":
            return judgement.selected()
        case "create":
            return judgement.created()
        case "alter":
            return judgement.altered()
        case "comment":
            return judgement.commented()
        case "copy":
            return judgement.copied()
        case "refresh" if statement.starts("refresh", "materialized", "view"):
            return judgement.about(3, "later")
        case _:
            raise judgement.refusal()


class _Judgement:
    def __init__(self, statement: Statement, schema: str, protected: frozenset[str], code: bool) -> None:
        self._statement = statement
        self._schema = schema
        self._protected = protected
        self._code = code

    def refusal(self, why: str = "is not taken") -> BadInput:
        """Return the error for the statement."""
        names = SchemaNames("memory", self._schema)
        shown = names.in_message(" ".join(self._statement.text.split()))[:80]
        return BadInput(f"line {self._statement.line}: {shown!r} {why}.", field="file", hint=_REFUSED)

    def about(self, place: int, step: Step) -> Order:
        """Return an order about the relation named at a place; skip one of the engine."""
        name, _ = self._name(place)
        return Order("skip" if name in self._protected else step, name)

    def setting(self) -> Order:
        """Decide on SET, which is for psql."""
        if (
            self._statement.lower(1) in _SETTINGS
            and self._statement.lower(2) == "="
            and len(self._statement.words) == 4
        ):
            return Order("skip")
        raise self.refusal()

    def selected(self) -> Order:
        """Decide on SELECT: only what pg_dump writes, letter by letter."""
        if self._statement.text.lower() == _SEARCH_PATH:
            return Order("skip")
        if _SETVAL.fullmatch(self._statement.text):
            named = self._statement.words[5].text[1:-1].replace("''", "'")
            if named.startswith((f"{self._schema}.", f'"{self._schema}".')):
                return Order("run")
        raise self.refusal()

    def created(self) -> Order:
        """Decide on CREATE."""
        statement = self._statement
        if statement.lower(1) == "schema" and len(statement.words) == 3 and self._plain(2) == self._schema:
            return Order("skip")
        for words in _KINDS:
            if statement.starts("create", *words):
                if words[-1] == "table" and statement.lower(4 + len(words)) not in {"(", "of"}:
                    raise self.refusal()
                return self.about(1 + len(words), "run")
        if statement.starts("create", "index") or statement.starts("create", "unique", "index"):
            return self.about(self._after("on"), "run")
        if statement.lower(1) == "trigger" and self._of_the_engine():
            return Order("skip")  # the engine hangs its own on the table
        if not self._code:
            raise self.refusal()
        if statement.lower(1) == "trigger" or statement.starts("create", "constraint", "trigger"):
            return self.about(self._after("on"), "later")
        return Order("later" if statement.lower(1) in {"policy", "rule"} else "run")

    def altered(self) -> Order:
        """Decide on ALTER: constraints, defaults, identities, partitions, the owner of a sequence."""
        statement = self._statement
        if statement.lower(1) in {"index", "statistics"}:
            return self.about(2, "run")
        if statement.lower(1) == "sequence":
            _, end = self._name(2)
            return self.about(2, "run") if statement.lower(end) == "owned" else self._otherwise()
        if statement.lower(1) != "table":
            return self._otherwise()
        table = self._only(2)
        _, end = self._name(table)
        match statement.lower(end), statement.lower(end + 1):
            case "add", "constraint":
                return self.about(table, "reference" if statement.lower(end + 3) == "foreign" else "run")
            case "alter", "column" if statement.lower(end + 3) in {"set", "add"}:
                return self.about(table, "run")
            case ("attach", "partition") | ("replica", "identity") | ("cluster", "on"):
                return self.about(table, "run")
            case (("enable" | "force" | "disable"), _) if self._code:
                ours = any(_OUR_TRIGGER.fullmatch(text) for text in self._texts())
                return Order("skip") if ours else self.about(table, "later")
            case _:
                return self._otherwise()

    def _otherwise(self) -> Order:
        """Decide on a form that is not on the list: of our own snapshots only."""
        if not self._code:
            raise self.refusal()
        return Order("run")

    def commented(self) -> Order:
        """Decide on COMMENT ON."""
        statement = self._statement
        if statement.starts("comment", "on", "schema") and self._plain(3) == self._schema:
            return Order("skip")
        for words in _COMMENTED:
            if statement.starts("comment", "on", *words):
                return self.about(2 + len(words), "run")
        if statement.lower(2) in _COMMENTED_ON:
            place = next(
                (n for n in range(3, len(statement.words)) if statement.lower(n) == "on"),
                len(statement.words),
            )
            return self.about(place + 1 + (statement.lower(place + 1) == "domain"), "later")
        return self._otherwise()

    def copied(self) -> Order:
        """Decide on COPY schema.table (columns) FROM stdin, and refuse any other COPY."""
        name, end = self._name(1)
        columns: list[str] = []
        if self._statement.lower(end) == "(":
            while self._statement.lower(end) != ")":
                if self._statement.lower(end) not in {"(", ","} or end + 1 >= len(self._statement.words):
                    raise self.refusal()
                columns.append(self._plain(end + 1))
                end += 2
            end += 1
        if self._texts()[end:] != ["FROM", "stdin"]:
            raise self.refusal()
        if name in self._protected and (name != REGISTRY or tuple(columns) != REGISTRY_COLUMNS):
            raise self.refusal("is about what the engine keeps")
        return Order("rows", name, tuple(columns))

    def _of_the_engine(self) -> bool:
        texts = [text.lower() for text in self._texts()]
        calls = ["tables", ".", "note_rows"]
        place = texts.index("execute") + 2 if "execute" in texts else 0
        return len(texts) > 2 and bool(_OUR_TRIGGER.fullmatch(texts[2])) and texts[place : place + 3] == calls

    def _texts(self) -> list[str]:
        return [word.text for word in self._statement.words]

    def _after(self, word: str) -> int:
        """Return the place after a word, skipping ``only``."""
        for place in range(2, len(self._statement.words)):
            if self._statement.lower(place) == word and self._statement.words[place].sort == "word":
                return self._only(place + 1)
        raise self.refusal()

    def _only(self, place: int) -> int:
        return place + (self._statement.lower(place) == "only")

    def _plain(self, place: int) -> str:
        if place >= len(self._statement.words) or self._statement.words[place].sort not in {"word", "quoted"}:
            raise self.refusal()
        return folded(self._statement.words[place])

    def _name(self, place: int) -> tuple[str, int]:
        """Return the name after ``schema.`` at a place, and the place of the next word."""
        if self._plain(place) != self._schema or self._statement.lower(place + 1) != ".":
            raise self.refusal("is about something outside of the schema")
        return self._plain(place + 2), place + 3


def folded(word: Token) -> str:
    """Return a name as PostgreSQL keeps it."""
    return word.text.lower() if word.sort == "word" else word.text[1:-1].replace('""', '"')


def schema_of(statements: Iterator[Statement]) -> str:
    """Return the schema of a dump: that of its CREATE SCHEMA, which comes first.

    Raises:
        BadInput: there is none.
    """
    for statement in statements:
        if statement.starts("create", "schema") and len(statement.words) == 3:
            return folded(statement.words[2])
        if statement.lower(0) not in {"set", "select"}:
            break
    raise BadInput("this is no dump of a schema.", field="file", hint=_REFUSED)


def renamed(statement: Statement, old: str, new: str) -> Statement:
    """Rewrite a statement for a schema of another name: ``old.`` before names, and ``'old.x'::regclass``.

    Bodies of functions are left as they are.
    """
    if old == new:
        return statement
    words, text = list(statement.words), statement.text
    shift = text.index(words[0].text) - words[0].start if words else 0
    for place in reversed(range(len(words))):
        token = words[place]
        start, end = token.start + shift, token.end + shift
        if _names_schema(words, place, old):
            text = f"{text[:start]}{new}{text[end:]}"
        elif token.sort == "text" and _names_relation(words, place):
            text = f"{text[:start]}{_moved(token.text, old, new)}{text[end:]}"
    return Statement(text, tuple(one for one in tokens(text) if one.sort not in SPACES), statement.line)


def _names_schema(words: list[Token], place: int, name: str) -> bool:
    token = words[place]
    after = words[place + 1].text if place + 1 < len(words) else ""
    before = words[place - 1].text if place else ""
    creates = place == 2 and [one.text.lower() for one in words[:2]] == ["create", "schema"]
    named = token.sort in {"word", "quoted"} and folded(token) == name
    return named and before != "." and (after == "." or creates)


def _names_relation(words: list[Token], place: int) -> bool:
    """Return True if a literal names a relation: cast to regclass, or the sequence that setval sets."""
    texts = [one.text.lower() for one in words]
    return texts[place + 1 : place + 3] == ["::", "regclass"] or texts[max(0, place - 2) : place] == [
        "setval",
        "(",
    ]


def _moved(literal: str, old: str, new: str) -> str:
    return f"'{new}.{literal[len(old) + 2 :]}" if literal.startswith(f"'{old}.") else literal


@dataclass(frozen=True, slots=True)
class Reference:
    """Columns of a table that refer to columns of another one of the same schema."""

    table: str
    columns: tuple[str, ...]
    other: str
    other_columns: tuple[str, ...]


def reference(statement: Statement) -> Reference | None:
    """Return the reference that ``ALTER TABLE … FOREIGN KEY (b) REFERENCES s.c(d)`` adds.

    None if it is written differently.
    """
    words = list(statement.words)
    texts = [word.text.lower() if word.sort == "word" else word.text for word in words]
    if "foreign" not in texts or "references" not in texts:
        return None
    first = 3 if texts[2] == "only" else 2
    key, refers = texts.index("foreign"), texts.index("references")
    columns = _names(statement, key + 2)
    others = _names(statement, refers + 4)
    if not columns or len(columns) != len(others):
        return None
    return Reference(folded(words[first + 2]), columns, folded(words[refers + 3]), others)


def _names(statement: Statement, place: int) -> tuple[str, ...]:
    """Return the names between two parentheses; none if there is something else."""
    if statement.lower(place) != "(":
        return ()
    names: list[str] = []
    while statement.lower(place) in {"(", ","} and place + 1 < len(statement.words):
        names.append(folded(statement.words[place + 1]))
        place += 2
    return tuple(names) if statement.lower(place) == ")" else ()
