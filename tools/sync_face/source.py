"""What is read: one module as text, and the classes in it that are to get a blocking face."""

from __future__ import annotations

import ast
import copy
from collections.abc import Container
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SRC = Path(__file__).resolve().parent.parent.parent / "src"


@dataclass(frozen=True, slots=True)
class Face:
    """One async class and the name of its blocking twin. A class with ``aclose`` opens a loop of its own."""

    module: str
    source: str
    target: str


class Untranslatable(Exception):
    """A part of an async class has no faithful blocking form."""


def refuse(node: ast.AST, why: str) -> Untranslatable:
    return Untranslatable(f"line {getattr(node, 'lineno', '?')}: {why}")


class Source:
    """One parsed module: its classes and where the names that its annotations use come from."""

    def __init__(self, module: str, path: Path) -> None:
        self.module = module
        self._text = path.read_text("utf-8")
        self.tree = ast.parse(self._text, filename=str(path))
        self.origins = {"Self": ("typing", "Self")} | self._own() | self._imported()

    def _own(self) -> dict[str, tuple[str, str]]:
        names = [n.name for n in self.tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))]
        for node in self.tree.body:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            names += [target.id for target in targets if isinstance(target, ast.Name)]
        return {name: (self.module, name) for name in names}

    def _imported(self) -> dict[str, tuple[str, str]]:
        found: dict[str, tuple[str, str]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom):
                if node.level:
                    raise refuse(node, "write imports with the full name of the module")
                found |= {a.asname or a.name: (node.module or "", a.name) for a in node.names}
            elif isinstance(node, ast.Import):
                found |= {a.asname or a.name.split(".")[0]: (a.name, "") for a in node.names}
        return found

    def segment(self, node: ast.AST) -> str:
        """Return the text of a node as it was written."""
        return ast.get_source_segment(self._text, node) or ""

    def alias(self, name: str) -> tuple[Source, ast.expr] | None:
        """Return the type behind ``name = Annotated[type, …]`` and the module that says so; else None."""
        module, own = self.origins.get(name, ("", ""))
        if not module.startswith("quipu."):
            return None
        source = self if module == self.module else _read(module)
        for node in source.tree.body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == own:
                value = node.value
                if isinstance(value, ast.Subscript) and ast.unparse(value.value) == "Annotated":
                    assert isinstance(value.slice, ast.Tuple)
                    return source, copy.deepcopy(value.slice.elts[0])
        return None

    def class_named(self, name: str, faced: Container[str]) -> ast.ClassDef:
        """The class of that name, whose bases, if it has any, are all among the ``faced``."""
        for node in self.tree.body:
            if isinstance(node, ast.ClassDef) and node.name == name:
                plain = all(isinstance(base, ast.Name) and base.id in faced for base in node.bases)
                if not plain or node.keywords:
                    why = "must have no bases without a face: inherited methods would be lost"
                    raise refuse(node, f"{name} {why}")
                return node
        raise Untranslatable(f"{self.module} has no class {name}")


@cache
def _read(module: str) -> Source:
    path = SRC.joinpath(*module.split("."))
    return Source(module, path / "__init__.py" if path.is_dir() else path.with_suffix(".py"))
