"""What is caught is named. Catching everything is the privilege of the outermost loop of a worker."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tree import module_name, modules, place, syntax

# Module and function -> why it may catch everything without raising it again.
MAY_CATCH_ALL = {
    ("quipu.kinds.ledger.hooks", "tell"): "code of subscribers: what it raises must not lose a write",
    ("quipu.kernel.queue.attempt", "make"): "code of jobs: what it raises is kept with the job",
    ("quipu.kernel.queue.trouble", "outlast"): "the outermost loop of a worker",
    ("quipu.interfaces.local.service", "_answer"): "one question must not end the service for all others",
    ("quipu.interfaces.middleware.attempt", "attempt"): "memory must never break an answer",
    ("quipu.interfaces.local.syncing", "catch_up"): "what is not found yet is no reason to end the service",
    ("quipu.interfaces.local.syncing", "sync_all"): "one file must not end the service, nor every next one",
    ("quipu.interfaces.web.labours", "_run"): "the outermost loop of long work: the pages must go on",
}
ALL = {"Exception", "BaseException"}


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
