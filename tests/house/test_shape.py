"""Files and functions stay small enough to be read at once, and say what they are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tree import module_name, modules, our_code, place, syntax

MOST_LINES_OF_A_FILE = 400
MOST_LINES_EVER = 600
LONG_ON_PURPOSE = {
    "recall/index": "an entry from its first row to its last, each step on the locks of the one before",
    "recall/question": "a question from its words to the people and times that it names",
    "app/operations": "one table, a line for each operation",
    "kernel/db/database": "the two classes through which everything reads and writes",
}
"""Modules of more than MOST_LINES_OF_A_FILE, and why each is read better as one."""
MOST_LINES_OF_A_FUNCTION = 80
LEANS_ON_ITS_NAME = re.compile(
    r"(The same|What|Who|Whose|Which|Whether|How|(Return|Show|List) (what|who|whose|which|whether|how))\b"
)
MOST_CLASSES_OF_A_NAME = 3
FEWEST_LINES_FOR_ONE_IMPORTER = 40
ALLOWED_SMALL = {
    "eraser": "a kind or a storey hands it in, and app/kinds.py takes it",
    "kind": "what a kind registers, which app/kinds.py takes",
    "rest": "a room of REST, which routes.py takes",
    "web": "a page, which pages.py takes, or what its templates are drawn with",
    "samples": "where the samples of the demo are",
}
"""By the name of the module, of its folder or of its importer: why a small one may stand by itself."""
SAYS_NOTHING = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(syntax(path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def lines_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    assert node.end_lineno is not None
    return node.end_lineno - node.lineno + 1


def is_at(path: Path, name: str) -> bool:
    return path.as_posix().endswith(f"/src/quipu/{name}.py")


def most_lines(path: Path) -> int:
    return MOST_LINES_EVER if any(is_at(path, name) for name in LONG_ON_PURPOSE) else MOST_LINES_OF_A_FILE


def test_no_file_is_longer_than_a_head_can_hold() -> None:
    too_long = [
        f"{place(path, 1)} has {count} lines; split it by meaning, at most {most}."
        for path in our_code()
        if (count := len(path.read_text("utf-8").splitlines())) > (most := most_lines(path))
    ]
    assert not too_long, "\n".join(too_long)


def test_every_long_file_that_is_listed_is_there_and_long() -> None:
    long = {path for path in our_code() if len(path.read_text("utf-8").splitlines()) > MOST_LINES_OF_A_FILE}
    assert sorted(LONG_ON_PURPOSE) == sorted(
        name for name in LONG_ON_PURPOSE if any(is_at(p, name) for p in long)
    )


def test_no_function_is_longer_than_a_screen() -> None:
    too_long = [
        f"{place(path, node.lineno)}: {node.name} has {lines_of(node)} lines; split it."
        for path in our_code()
        for node in functions(path)
        if lines_of(node) > MOST_LINES_OF_A_FUNCTION
    ]
    assert not too_long, "\n".join(too_long)


def test_every_module_is_named_for_what_is_in_it() -> None:
    assert [name for name in map(module_name, modules()) if name.rsplit(".", 1)[-1] in SAYS_NOTHING] == []


def test_every_module_says_in_its_docstring_what_it_is() -> None:
    silent = [place(path, 1) for path in modules() if len(ast.get_docstring(syntax(path)) or "") < 10]
    assert not silent, "no docstring that says something:\n" + "\n".join(silent)


def test_every_docstring_says_plainly_what_it_is() -> None:
    leaning = [
        f"{place(path, getattr(node, 'lineno', 1))}: {doc.splitlines()[0]}"
        for path in modules()
        for node in ast.walk(syntax(path))
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        if (doc := ast.get_docstring(node)) is not None and LEANS_ON_ITS_NAME.match(doc)
    ]
    assert not leaning, "begin with a verb or a noun, and name the thing:\n" + "\n".join(leaning)


def test_few_public_classes_share_a_name() -> None:
    """The blocking classes are left out: they are generated, and bear the names of what they stand for."""
    places: dict[str, list[str]] = {}
    for path in modules():
        if is_at(path, "sync"):
            continue
        for node in ast.walk(syntax(path)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(place(path, node.lineno))
    shared = [
        f"{name}: {', '.join(found)}" for name, found in places.items() if len(found) > MOST_CLASSES_OF_A_NAME
    ]
    assert not shared, "give each a name of its own:\n" + "\n".join(shared)


def test_imports_stand_at_the_top_unless_an_extra_or_a_door_needs_otherwise() -> None:
    """Each exception says why, in a comment on the line: ``# noqa: PLC0415 - reason``, or just above it."""
    hidden = [
        place(path, node.lineno)
        for path in modules()
        for function in functions(path)
        for node in ast.walk(function)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        and "noqa: PLC0415" not in path.read_text("utf-8").splitlines()[node.lineno - 1]
    ]
    assert not hidden, "\n".join(hidden)


def importers() -> dict[str, set[str]]:
    """Return who imports each module of ours."""
    known = {module_name(path): path for path in modules()}
    found: dict[str, set[str]] = {name: set() for name in known}
    for name, path in known.items():
        for node in ast.walk(syntax(path)):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    found.get(whole, found.get(node.module, set())).add(name)
    return found


def test_no_small_module_serves_another_one_alone() -> None:
    lines = {
        module_name(path): len(path.read_text("utf-8").splitlines())
        for path in modules()
        if path.name != "__init__.py"
    }
    found = {
        name: (
            users,
            {name.rsplit(".", 1)[-1], name.rsplit(".", 2)[-2], *(one.rsplit(".", 1)[-1] for one in users)},
        )
        for name, users in importers().items()
        if len(users) == 1 and lines.get(name, FEWEST_LINES_FOR_ONE_IMPORTER) < FEWEST_LINES_FOR_ONE_IMPORTER
    }
    strays = [
        f"{name} belongs into {users}"
        for name, (users, words) in found.items()
        if not words & set(ALLOWED_SMALL)
    ]
    assert strays == []
    used = {word for _, words in found.values() for word in words}
    assert set(ALLOWED_SMALL) <= used, "an exception that nothing needs any more"
