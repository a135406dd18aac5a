"""Annotations in the words of blocking code."""

from __future__ import annotations

import ast
import builtins

from sync_face.source import Source, refuse

BLOCKING = {  # module, name -> what stands for it in blocking code
    "AsyncIterator": ("collections.abc", "Iterator"),
    "AsyncGenerator": ("collections.abc", "Iterator"),
    "AsyncIterable": ("collections.abc", "Iterable"),
    "AbstractAsyncContextManager": ("contextlib", "AbstractContextManager"),
}
STREAMS = {"AsyncIterator", "AsyncGenerator", "AsyncIterable"}
UNTRANSLATABLE = {"Awaitable", "Coroutine"}
ENTER_AND_EXIT = {"__aenter__", "__aexit__"}


class Annotation(ast.NodeTransformer):
    """Rewrites one annotation for blocking code and collects the names that it needs."""

    def __init__(self, source: Source, targets: dict[str, str]) -> None:
        self.source, self.targets = source, targets
        self.needs: dict[str, tuple[str, str]] = {}

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, str):
            return self.visit(ast.parse(node.value, mode="eval").body)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in UNTRANSLATABLE:
            raise refuse(node, f"{node.id} has no meaning in blocking code")
        if node.id in self.targets:
            return ast.Name(self.targets[node.id])
        if node.id in BLOCKING:
            module, name = BLOCKING[node.id]
            self.needs[name] = (module, name)
            return ast.Name(name)
        if (alias := self.source.alias(node.id)) is not None:
            return self._inlined(*alias)
        if node.id in self.source.origins:
            self.needs[node.id] = self.source.origins[node.id]
        elif not hasattr(builtins, node.id):
            raise refuse(node, f"nothing is known of the name {node.id}")
        return node

    def _inlined(self, source: Source, meant: ast.expr) -> ast.expr:
        """Write the type that an annotated alias stands for in its place."""
        inner = Annotation(source, self.targets)
        plain = inner.visit(meant)
        self.needs |= inner.needs
        return plain

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if isinstance(node.value, ast.Name):
            if node.value.id == "Literal":
                self.visit(node.value)
                return node
            if node.value.id == "Annotated" and isinstance(node.slice, ast.Tuple):
                return self.visit(
                    node.slice.elts[0]
                )  # what doors read of a parameter stands in the async class
            if node.value.id == "AsyncGenerator" and isinstance(node.slice, ast.Tuple):
                node.slice = node.slice.elts[0]
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """``Iterable[X] | AsyncIterable[X]`` becomes one ``Iterable[X]``."""
        self.generic_visit(node)
        return node.left if ast.unparse(node.left) == ast.unparse(node.right) else node
