"""SQL is source code of its own: it stands in .sql files, and no statement is glued together from strings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tree import PACKAGE, module_name, modules, place, syntax

RUNS_SQL = {"execute", "executemany", "stream", "copy", "mogrify"}
STATEMENT = re.compile(
    r"\s*(select\s.+\sfrom\s|insert\s+into\s|update\s.+\sset\s|delete\s+from\s|create\s+(table|index|view|function)\s"
    r"|alter\s+table\s|drop\s+(table|schema|index)\s|with\s+\w+\s+as\s*\()",
    re.IGNORECASE | re.DOTALL,
)
QUERY_NAME = re.compile(r"^-- name: (\S+)(.*)$", re.MULTILINE)
SHOUTED = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|FROM|WHERE|JOIN|ORDER BY|GROUP BY)\b")


# Modules that hold a statement themselves -> why.
_SHOWN = "examples of what a client may ask, shown in the OpenAPI"
MAY_HOLD_SQL = {
    "quipu.kernel.db.migrate": "it makes the table by which it finds out what .sql files to run",
    "quipu.kernel.db.embedded.transfer": "it counts the rows of tables whose names it finds in the catalogue",
    "quipu.interfaces.rest.transcripts": _SHOWN,
    "quipu.kinds.tables.tables": _SHOWN,
}


def sql_files() -> list[Path]:
    return sorted(PACKAGE.rglob("*.sql"))


def is_glued(node: ast.expr) -> bool:
    """An f-string with something in it, a sum, a percent or a ``.format`` of a text."""
    if isinstance(node, ast.JoinedStr):
        return any(isinstance(part, ast.FormattedValue) for part in node.values)
    if isinstance(node, ast.BinOp):
        return any(is_text(side) or is_glued(side) for side in (node.left, node.right))
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("format", "join")
    ):
        return is_text(node.func.value)
    return False


def is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def glued_statements(tree: ast.AST) -> Iterator[ast.Call]:
    """Calls that run a glued text, directly or as what ``sql.SQL`` is given."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and is_glued(node.args[0]):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in RUNS_SQL or name == "SQL":
                yield node


def docstrings(tree: ast.AST) -> set[int]:
    nodes = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, nodes) and node.body and isinstance(node.body[0], ast.Expr)
    }


def statements_in_strings(tree: ast.AST) -> Iterator[ast.Constant]:
    left_out = docstrings(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or id(node) in left_out:
            continue
        if STATEMENT.match(node.value):
            yield node


def test_no_statement_is_glued_together() -> None:
    glued = [place(path, call.lineno) for path in modules() for call in glued_statements(syntax(path))]
    assert not glued, "\n".join(glued)


def test_the_scan_sees_glued_statements() -> None:
    for bad in ('f"select {x}"', '"select " + x', '"select %s" % x', '"select {}".format(x)', '",".join(x)'):
        assert list(glued_statements(ast.parse(f"await connection.execute({bad}, [1])"))), bad
    assert not list(glued_statements(ast.parse('c.execute(sql.SQL("drop table {}").format(name))')))


def test_statements_stand_in_sql_files() -> None:
    holding = {
        module_name(path): place(path, node.lineno)
        for path in modules()
        for node in statements_in_strings(syntax(path))
    }
    strays = [where for module, where in holding.items() if module not in MAY_HOLD_SQL]
    assert not strays, "move these into a .sql file beside their owner:\n" + "\n".join(strays)
    assert set(MAY_HOLD_SQL) <= set(holding), "an exception to the rule that nobody needs any more"


def test_the_scan_sees_statements_in_strings() -> None:
    seen = list(
        statements_in_strings(ast.parse('"""select a from b"""\nx = "select a from b"\ny = "select one"'))
    )
    assert [node.lineno for node in seen] == [2]


def test_every_query_has_a_name_and_says_what_it_is_for() -> None:
    wanting: list[str] = []
    for path in sql_files():
        if path.parent.name == "migrations":
            continue
        text = path.read_text("utf-8")
        blocks = QUERY_NAME.split(text)
        names = blocks[1::3]
        if not names:  # the file is one statement, called by the name of the file
            assert text.startswith("-- "), f"{path.relative_to(PACKAGE)} does not say what it is for"
            code = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
            assert code.count(";") == 1, f"{path.relative_to(PACKAGE)} has several statements and no names"
        assert len(names) == len(set(names)), f"{path.relative_to(PACKAGE)} has a name twice"
        for name, rest, text in zip(names, blocks[2::3], blocks[3::3], strict=True):
            if not (rest.strip() or text.lstrip().startswith("--")):
                wanting.append(f"{path.relative_to(PACKAGE)}: {name}")
    assert not wanting, "no line of purpose:\n" + "\n".join(wanting)


def test_keywords_are_written_in_lower_case() -> None:
    loud = [
        place(path, number)
        for path in sql_files()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if SHOUTED.search(line.split("--")[0])
    ]
    assert not loud, "\n".join(loud)


def test_migrations_are_numbered_without_gaps() -> None:
    for folder in {path.parent for path in sql_files() if path.parent.name == "migrations"}:
        numbers = [int(path.name[:4]) for path in sorted(folder.glob("*.sql"))]
        assert numbers == list(range(1, len(numbers) + 1)), module_name(folder / "x.py")
