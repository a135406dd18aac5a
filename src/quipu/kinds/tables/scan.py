"""Scan of an agent's statement, word by word. Pure.

Nothing is allowed or refused by what this finds: that is PostgreSQL's to say. It finds the place of a
parameter, the literals in which a secret could stand, and what a statement begins with, for its message.
"""

from __future__ import annotations

from collections.abc import Callable

from quipu.kernel.db.tokens import Token, meaningful, tokens


def first_words(statement: str, count: int = 2) -> tuple[str, ...]:
    """Return the first words of the statement, in small letters."""
    words: list[str] = []
    for token in meaningful(statement):
        if token.sort != "word" or len(words) == count:
            break
        words.append(token.text.lower())
    return tuple(words)


def name_after(statement: str, *words: str) -> tuple[str | None, str] | None:
    """Return schema and name after these words, skipping ``if [not] exists`` and ``only``.

    None if something else stands there.
    """
    words_of = meaningful(statement)
    heads = [token.text.lower() for token in words_of[: len(words)]]
    if heads != list(words):
        return None
    rest = words_of[len(words) :]
    while rest and rest[0].sort == "word" and rest[0].text.lower() in {"if", "not", "exists", "only"}:
        rest = rest[1:]
    names: list[str] = []
    while rest and rest[0].sort in {"word", "quoted"}:
        names.append(_folded(rest[0]))
        if len(rest) < 2 or rest[1].text != ".":
            break
        rest = rest[2:]
    if not names:
        return None
    return (names[-2] if len(names) > 1 else None), names[-1]


def qualified(statement: str) -> list[tuple[str, str]]:
    """Return the names that have another name and a dot in front, each with that."""
    known = meaningful(statement)
    return [
        (_folded(first), _folded(second))
        for first, dot, second in zip(known, known[1:], known[2:], strict=False)
        if dot.text == "." and {first.sort, second.sort} <= {"word", "quoted"}
    ]


def _folded(token: Token) -> str:
    return token.text.lower() if token.sort == "word" else token.text[1:-1].replace('""', '"')


def bind(statement: str, name: str, number: int) -> tuple[str, int]:
    """Return the statement with ``:name`` as a numbered parameter, and how often it stood there.

    In literals, quoted names and comments nothing is replaced.
    """
    parameters = [
        token for token in tokens(statement) if token.sort == "parameter" and token.text == f":{name}"
    ]
    for token in reversed(parameters):
        statement = f"{statement[: token.start]}${number}{statement[token.end :]}"
    return statement, len(parameters)


def change_literals(statement: str, change: Callable[[str], str]) -> str:
    """Return the statement with each literal changed; one not written plainly is changed as it stands."""
    parts: list[str] = []
    for token in tokens(statement):
        if token.sort == "text" and token.text.startswith("'"):
            said = token.text[1:-1].replace("''", "'")
            changed = change(said)
            parts.append(token.text if changed == said else "'" + changed.replace("'", "''") + "'")
        elif token.sort in {"escaped", "dollar", "comment"}:
            parts.append(change(token.text))
        else:
            parts.append(token.text)
    return "".join(parts)
