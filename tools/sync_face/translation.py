"""One async class becomes the text of one blocking class."""

from __future__ import annotations

import ast
import copy
import re
import textwrap

from sync_face.annotation import BLOCKING, STREAMS, Annotation
from sync_face.source import Face, Source, refuse


def in_words_of_blocking_code(text: str, targets: dict[str, str]) -> str:
    """A docstring with its examples made blocking."""
    text = re.sub(r"\bawait (?=[\w.]+\()", "", text)
    text = re.sub(r"\basync (?=(with|for)\b)", "", text)
    text = re.sub(r"\baclose\b", "close", text)
    for source, target in targets.items():
        text = re.sub(rf"\b{source}\b", target, text)
    return text


def quoted(text: str) -> str:
    """A docstring literal, ended on a line of its own when it has several lines."""
    end = "\n" if "\n" in text or text.endswith('"') else ""
    return '"""' + text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"') + end + '"""'


class Translation:
    """One async class on its way to a blocking one."""

    def __init__(self, face: Face, source: Source, targets: dict[str, str]) -> None:
        self.face, self.targets, self.source = face, targets, source
        self.node = source.class_named(face.source, targets)
        self.annotation = Annotation(source, targets)
        self.runtime: set[str] = set()  # names that must be imported for real: decorators
        self.functions = [n for n in self.node.body if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
        self.root = any(f.name == "aclose" for f in self.functions)

    def text(self) -> str:
        self._refuse_public_attributes()
        public = [f for f in self.functions if not f.name.startswith("_") and f.name != "aclose"]
        parts = [self._doc(self.node), *self._opening(), *map(self._method, public)]
        if self.root:
            parts.append(self._closing())
        body = "\n\n".join(textwrap.indent(part, "    ") for part in parts if part)
        bases = ", ".join(self.targets[ast.unparse(base)] for base in self.node.bases)
        return f"class {self.face.target}{f'({bases})' if bases else ''}:\n{body}\n"

    def _refuse_public_attributes(self) -> None:
        for node in self.node.body:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            for target in targets:
                if isinstance(target, ast.Name) and not target.id.startswith("_"):
                    raise refuse(node, f"make the public attribute {target.id} a property")

    def _doc(self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> str:
        text = ast.get_docstring(node)
        return quoted(in_words_of_blocking_code(text, self.targets)) if text else ""

    def _opening(self) -> list[str]:
        if not self.root:
            self.annotation.needs["Portal"] = ("quipu.kernel.base.portal", "Portal")
            self.annotation.needs[self.face.source] = (self.face.module, self.face.source)
            return [
                f"def __init__(self, inner: {self.face.source}, portal: Portal) -> None:\n"
                "    self._inner = inner\n    self._portal = portal"
            ]
        self.annotation.needs["Self"] = ("typing", "Self")
        self.annotation.needs["TracebackType"] = ("types", "TracebackType")
        return [self._root_init(), *self._unknown_names(), ROOT_ENTER_AND_EXIT]

    def _unknown_names(self) -> list[str]:
        """The block ``if not TYPE_CHECKING`` with ``__getattr__``, word for word, where the class has one."""
        found = [node for node in self.node.body if isinstance(node, ast.If)]
        if found:
            self.runtime.add("TYPE_CHECKING")
        return [textwrap.dedent(" " * node.col_offset + self.source.segment(node)) for node in found]

    def _root_init(self) -> str:
        init = next((f for f in self.functions if f.name == "__init__"), None)
        signature, call, doc = "self", "", ""
        if init is not None:
            signature, call, doc = self._signature(init), self._arguments(init), self._doc(init)
        body = textwrap.indent(f"{doc}\n" if doc else "", "    ") + ROOT_INIT.format(
            module=self.face.module, source=self.face.source, target=self.face.target, call=call
        )
        return f"def __init__({signature}) -> None:\n{body}"

    def _closing(self) -> str:
        aclose = next(f for f in self.functions if f.name == "aclose")
        if not isinstance(aclose, ast.AsyncFunctionDef) or len(aclose.args.args) != 1:
            raise refuse(aclose, "aclose must be async and take no arguments")
        doc = self._doc(aclose) or '"""Close it; a second time nothing happens."""'
        return f"def close(self) -> None:\n{textwrap.indent(doc, '    ')}\n    self._portal.close()"

    def _method(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
        marks = [
            ast.unparse(d).removeprefix("typing.").removeprefix("contextlib.") for d in node.decorator_list
        ]
        unknown = set(marks) - {"property", "overload", "asynccontextmanager", "reads_only"}
        if unknown:
            raise refuse(node, f"{node.name}: nothing is known of the decorator {', '.join(sorted(unknown))}")
        if node.returns is None:
            raise refuse(node, f"{node.name}: write what it returns")
        lines = [f"def {node.name}({self._signature(node)}) -> {self._returns(node, marks)}:"]
        if doc := self._doc(node):
            lines.append(textwrap.indent(doc, "    "))
        if "overload" in marks:
            self.runtime.add("overload")
            return "\n".join(["@overload", *lines, "    ..."])
        if "property" in marks:
            return "\n".join(["@property", *lines, *self._property(node)])
        return "\n".join([*lines, *(f"    {line}" for line in self._body(node, marks))])

    def _property(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
        if isinstance(node, ast.AsyncFunctionDef):
            raise refuse(node, f"{node.name}: a property cannot be awaited in blocking code")
        return [f"    return {self._faced(node, f'self._portal.opened(self._inner).{node.name}')}"]

    def _returns(self, node: ast.FunctionDef | ast.AsyncFunctionDef, marks: list[str]) -> str:
        assert node.returns is not None
        returns = self._annotation(node.returns)
        if "asynccontextmanager" in marks:
            self.annotation.needs["AbstractContextManager"] = ("contextlib", "AbstractContextManager")
            return re.sub(r"^Iterator\b", "AbstractContextManager", returns)
        for target in self.targets.values():
            if target != returns and re.search(rf"\b{target}\b", returns):
                raise refuse(node, f"{node.name}: return {target} alone, not inside another type")
        return returns

    def _body(self, node: ast.FunctionDef | ast.AsyncFunctionDef, marks: list[str]) -> list[str]:
        assert node.returns is not None
        call = f"self._inner.{node.name}({self._arguments(node)})"
        kind = ast.unparse(node.returns).split("[")[0].strip("'\"")
        if "asynccontextmanager" in marks or kind == "AbstractAsyncContextManager":
            return [f"return self._portal.hold(lambda: {call})"]
        if kind in STREAMS:
            return [f"return self._portal.iterate(lambda: {call})"]
        door = "call" if isinstance(node, ast.AsyncFunctionDef) else "run"
        done = f"self._portal.{door}(lambda: {call})"
        if kind in ("Self", self.face.source):
            return [done, "return self"]
        return [done if kind == "None" else f"return {self._faced(node, done)}"]

    def _faced(self, node: ast.FunctionDef | ast.AsyncFunctionDef, value: str) -> str:
        assert node.returns is not None
        target = self.targets.get(ast.unparse(node.returns).strip("'\""))
        return f"{target}({value}, self._portal)" if target else value

    def _annotation(self, node: ast.expr) -> str:
        return ast.unparse(self.annotation.visit(copy.deepcopy(node)))

    def _signature(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
        arguments = copy.deepcopy(node.args)
        for default in [*arguments.defaults, *filter(None, arguments.kw_defaults)]:
            if not _is_literal(default):
                raise refuse(node, f"{node.name}: defaults must be literals, not {ast.unparse(default)}")
        every = [
            *arguments.posonlyargs,
            *arguments.args,
            arguments.vararg,
            *arguments.kwonlyargs,
            arguments.kwarg,
        ]
        for argument in every:
            if argument is not None and argument.annotation is not None:
                _refuse_async_only(node, argument)
                argument.annotation = ast.parse(self._annotation(argument.annotation), mode="eval").body
        return ast.unparse(arguments)

    def _arguments(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
        args = node.args
        passed = [a.arg for a in [*args.posonlyargs, *args.args][1:]]
        passed += [f"*{args.vararg.arg}"] if args.vararg else []
        passed += [f"{a.arg}={a.arg}" for a in args.kwonlyargs]
        passed += [f"**{args.kwarg.arg}"] if args.kwarg else []
        return ", ".join(passed)


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


def _refuse_async_only(node: ast.AST, argument: ast.arg) -> None:
    """An argument may be async only beside its blocking form, which is then the one that remains."""
    assert argument.annotation is not None
    names = {n.id for n in ast.walk(argument.annotation) if isinstance(n, ast.Name)}
    for name in names & set(BLOCKING):
        if BLOCKING[name][1] not in names:
            raise refuse(node, f"{argument.arg}: {name} alone cannot be passed by blocking code")


ROOT_INIT = """\
    # The one place where imports stand inside a function: `from {package} import {target}` must be quick, and
    # the database driver and numpy are needed only from here on.
    from {module} import {source}  # noqa: PLC0415
    from quipu.kernel.base.portal import Portal  # noqa: PLC0415

    self._portal = Portal("{target}")
    self._inner = self._portal.host(lambda: {source}({call}))""".replace("{package}", "quipu")

ROOT_ENTER_AND_EXIT = '''\
def __enter__(self) -> Self:
    self._portal.enter()
    return self

def __exit__(
    self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
) -> bool | None:
    return self._portal.leave(kind, error, trace)

def open(self) -> Self:
    """Open it now. Without this it opens at its first use; a second time nothing happens."""
    self._portal.open()
    return self'''
