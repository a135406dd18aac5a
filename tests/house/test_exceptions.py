"""What is caught is named. Catching everything is the privilege of the outermost loop of a worker."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
from tree import module_name, modules, place, syntax

from quipu.interfaces.cli.main import quipu_command

# Module and function -> why it may catch everything without raising it again.
MAY_CATCH_ALL = {
    ("quipu.kinds.ledger.facts", "_tell"): "code of subscribers: what it raises must not lose a write",
    ("quipu.kernel.queue.attempt", "_tried"): "code of jobs: what it raises is kept with the job",
    ("quipu.kernel.queue.worker", "outlast"): "the outermost loop of a worker",
    (
        "quipu.interfaces.hooks.daemon.service",
        "_answer",
    ): "one question must not end the service for all others",
    ("quipu.interfaces.middleware.writer", "attempt"): "memory must never break an answer",
    (
        "quipu.interfaces.hooks.daemon.pending",
        "catch_up",
    ): "what is not found yet is no reason to end the service",
    (
        "quipu.interfaces.hooks.daemon.pending",
        "sync_all",
    ): "one file must not end the service, nor every next one",
    ("quipu.interfaces.web.background", "_run"): "the outermost loop of long work: the pages must go on",
}
ALL = {"Exception", "BaseException"}

# What every door shares, so its errors are read at each. Left out is what whoever runs the program sets up:
# the database, its backups, models, settings of the environment. A command line is what they have.
SHARED = ("quipu.app", "quipu.record", "quipu.recall", "quipu.kinds", "quipu.upkeep")
OF_THE_OPERATOR = (
    "quipu.upkeep.backup",
    "quipu.upkeep.erasure.places",
    "quipu.upkeep.erasure.files",
    "quipu.app.language",  # no other door says where texts go
)
OF_PYTHON = ("quipu.app.hints",)  # attributes that are missing: no other door has any
COMMANDS = quipu_command.list_commands(click.Context(quipu_command))
ONE_DOOR_S = re.compile(
    rf"\bquipu (?:{'|'.join(COMMANDS)})\b|(?<![\w-])--[a-z]"
    r"|\b[a-z_]+=(?:True|False|None|…|['\"]|\))|(?<![\w.])[a-z_]+\(\)|\bmemory\.(?!db\b)[a-z]|/v1/"
)


def catches_all(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or (isinstance(kind, ast.Name) and kind.id in ALL) for kind in kinds)


def raises_again(handler: ast.ExceptHandler) -> bool:
    """Whether the block ends by raising what it caught, or something made of it."""
    return bool(handler.body) and isinstance(handler.body[-1], ast.Raise)


def blanket_handlers(path: Path) -> Iterator[tuple[str, ast.ExceptHandler]]:
    for function in ast.walk(syntax(path)):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for node in ast.walk(function):
                if isinstance(node, ast.ExceptHandler) and catches_all(node):
                    yield function.name, node


def test_nothing_swallows_every_exception() -> None:
    found = {
        (module_name(path), function): place(path, handler.lineno)
        for path in modules()
        for function, handler in blanket_handlers(path)
        if not raises_again(handler)
    }
    assert not {key: where for key, where in found.items() if key not in MAY_CATCH_ALL}
    assert set(MAY_CATCH_ALL) <= set(found), "an exception to the rule that nobody needs any more"


def test_errors_raised_on_purpose_are_our_own() -> None:
    """``raise Exception`` and ``raise RuntimeError`` tell a caller nothing and give no way out."""
    nameless = [
        place(path, node.lineno)
        for path in modules()
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.Raise)
        and isinstance(node.exc, ast.Call)
        and isinstance(node.exc.func, ast.Name)
        and node.exc.func.id in {"Exception", "BaseException", "RuntimeError"}
    ]
    assert not nameless, "\n".join(nameless)


def sentences(path: Path) -> Iterator[ast.Constant]:
    """What a module says outside its docstrings, as far as it is more than a word."""
    told = {node.value for node in ast.walk(syntax(path)) if isinstance(node, ast.Expr)}
    for node in ast.walk(syntax(path)):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in told
        if is_text and " " in node.value.strip():
            yield node


def test_what_every_door_shares_is_worded_for_every_door() -> None:
    """A client of REST has no ``quipu keys list``, a model no ``user=``, a command line no ``observe()``."""
    found = [
        f"{place(path, node.lineno)}: {match[0]}"
        for path in modules()
        if module_name(path).startswith(SHARED)
        and not module_name(path).startswith((*OF_THE_OPERATOR, *OF_PYTHON))
        for node in sentences(path)
        if (match := ONE_DOOR_S.search(node.value))
    ]
    assert not found, "\n".join(found)


def test_the_scan_sees_the_words_of_one_door() -> None:
    for text in (
        "`quipu keys list` shows",
        "say user=…",
        "use prompt()",
        "raise --seconds",
        "POST /v1/import",
    ):
        assert ONE_DOOR_S.search(text), text
    assert not ONE_DOOR_S.search("The list of keys shows them; quipu is the name, a -- b, x = 3.")
