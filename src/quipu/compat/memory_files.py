"""Files of Anthropic's memory tool as documents: what each command does, and the texts that answer it."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from quipu.compat.face import Call, Steps
from quipu.errors import BadInput, Conflict, MissingExtra, NotFound, Outdated, TooLarge

try:
    from anthropic.lib.tools import ToolError
except ImportError as error:
    raise MissingExtra("anthropic", "Anthropic's memory tool") from error

if TYPE_CHECKING:
    from anthropic.types.beta import (
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )

_ROOT: Final = "/memories"
_ANYWHERE: Final = "/\x1f"  # where the root stands, which nobody names
_MOST_LINES: Final = 999_999
_WIDTH: Final = len(str(_MOST_LINES))
_PAGE: Final = 1_000
_DEEPEST: Final = 2
_DIRECTORY_SIZE: Final = "4K"  # what a directory takes in most file systems
_UNITS: Final = "BKMG"


class Tree(dict[str, "Tree | int"]):
    """Names in a directory: of a file its size in bytes, of a directory what is in it."""


class Files:
    """Files of the tool as documents: each command is steps, so that both tools do the same."""

    def __init__(self, path: Sequence[str] | str, *, space: str, user: str | None) -> None:
        self._base = tuple(path.strip("/").split("/") if isinstance(path, str) else path)
        self._space = space
        self._user = user

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> Steps[str]:
        """Show the files of a directory, or the lines of a file."""
        place = _place(command.path)
        document = yield from self._file(place)
        if document is not None:
            return _numbered(command, _content(document))
        tree = Tree()
        for one in (yield from self._below(place)):
            _grow(tree, [*one.path[len(self._base) + len(place) :], one.key], len(_content(one).encode()))
        if place and not tree:
            raise ToolError(f"The path {command.path} does not exist. Please provide a valid path.")
        deep = f"Here're the files and directories up to {_DEEPEST} levels deep in {command.path}"
        lines = [f"{size}\t{command.path}/{name}" for size, name in _listed(tree, "", 1)]
        return "\n".join([f"{deep}, excluding hidden items:", f"{_DIRECTORY_SIZE}\t{command.path}", *lines])

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> Steps[str]:
        """Write a new file."""
        place = _place(command.path)
        yield from self._check_directories(place)
        if (yield from self._is_directory(place)):
            raise ToolError(f"File {command.path} already exists")
        try:
            yield self._write(place, body=command.file_text, user=self._user, expected_version=0)
        except Outdated as error:
            raise ToolError(f"File {command.path} already exists") from error
        return f"File created successfully at: {command.path}"

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> Steps[str]:
        """Replace a text that stands once in a file."""
        return (yield from self._edit(command.path, lambda content: _replaced(command, content)))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> Steps[str]:
        """Insert lines into a file."""
        return (yield from self._edit(command.path, lambda content: _inserted(command, content)))

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> Steps[str]:
        """Delete a file, or a directory with all that is in it."""
        place = _place(command.path)
        if not place:
            raise ToolError("Cannot delete the /memories directory itself")
        try:
            path, key = self._address(place)
            yield lambda memory: memory.documents.delete(path, key, space=self._space)
        except NotFound as error:
            if not (yield from self._remove(place)):
                raise ToolError(f"The path {command.path} does not exist") from error
        return f"Successfully deleted {command.path}"

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> Steps[str]:
        """Give a file or a directory another name."""
        place, to = _place(command.old_path), _place(command.new_path)
        if not place:
            raise ToolError("Cannot rename the /memories directory itself")
        if (yield from self._is_there(to)):
            raise ToolError(f"The destination {command.new_path} already exists")
        is_file = (yield from self._file(place)) is not None
        if not is_file and not (yield from self._is_directory(place)):
            raise ToolError(f"The path {command.old_path} does not exist")
        if to[: len(place)] == place:
            raise ToolError(f"Cannot move {command.old_path} into itself")
        yield from self._check_directories(to)
        path, key = self._address(place) if is_file else ((*self._base, *place), None)
        to_path, to_key = self._address(to) if is_file else ((*self._base, *to), None)
        try:
            yield lambda memory: memory.documents.rename(
                path, key, to=to_path, to_key=to_key, space=self._space
            )
        except NotFound as error:
            raise ToolError(f"The path {command.old_path} does not exist") from error
        except Conflict as error:
            raise ToolError(f"The destination {command.new_path} already exists") from error
        return f"Successfully renamed {command.old_path} to {command.new_path}"

    def clear(self) -> Steps[str]:
        """Delete all files."""
        yield from self._remove(())
        return "All memory cleared"

    def _edit(self, path: str, change: Callable[[str], tuple[str, str]]) -> Steps[str]:
        """Change the content of a file; where somebody else did meanwhile, change what that is now."""
        place = _place(path)
        while True:
            document = yield from self._file(place)
            if document is None:
                if (yield from self._is_directory(place)):
                    raise ToolError(f"The path {path} is not a file.")
                raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
            content, said = change(_content(document))
            kept = {name: getattr(document, name) for name in ("metadata", "user", "index", "ttl_seconds")}
            try:
                yield self._write(place, body=content, expected_version=document.version, **kept)
            except (Outdated, NotFound):
                continue
            return said

    def _write(self, place: Sequence[str], **content: Any) -> Call:
        path, key = self._address(place)
        return lambda memory: memory.documents.put(path, key, space=self._space, verbatim=True, **content)

    def _file(self, place: Sequence[str]) -> Steps[Any]:
        """Return the document of a file; None if there is none."""
        if not place:
            return None
        path, key = self._address(place)
        try:
            return (yield lambda memory: memory.documents.get(path, key, space=self._space))
        except NotFound:
            return None

    def _is_directory(self, place: Sequence[str]) -> Steps[bool]:
        return not place or bool((yield self._page(place, offset=0, limit=1)))

    def _is_there(self, place: Sequence[str]) -> Steps[bool]:
        return (yield from self._file(place)) is not None or (yield from self._is_directory(place))

    def _check_directories(self, place: Sequence[str]) -> Steps[None]:
        """Refuse a place below a file."""
        for end in range(1, len(place)):
            if (yield from self._file(place[:end])) is not None:
                raise ToolError(f"The path {'/'.join([_ROOT, *place[:end]])} is not a directory")

    def _below(self, place: Sequence[str]) -> Steps[list[Any]]:
        """Return all documents below a place."""
        found: list[Any] = []
        while True:
            page = yield self._page(place, offset=len(found), limit=_PAGE)
            found += page
            if len(page) < _PAGE:
                return found

    def _remove(self, place: Sequence[str]) -> Steps[int]:
        """Remove all documents below a place; their number."""
        removed = 0
        while page := (yield self._page(place, offset=0, limit=_PAGE)):
            operations = [{"do": "delete", "path": list(one.path), "key": one.key} for one in page]
            yield self._batch(operations)
            removed += len(page)
        return removed

    def _batch(self, operations: Sequence[Mapping[str, object]]) -> Call:
        return lambda memory: memory.documents.batch(operations, space=self._space)

    def _page(self, place: Sequence[str], *, offset: int, limit: int) -> Call:
        path = (*self._base, *place)
        return lambda memory: memory.documents.list(
            path, space=self._space, order="key", offset=offset, limit=limit
        )

    def _address(self, place: Sequence[str]) -> tuple[tuple[str, ...], str]:
        """Return the path and the key of a file."""
        return (*self._base, *place[:-1]), place[-1]


@contextmanager
def refusals() -> Generator[None]:
    """Have what a memory refuses be an error of the tool, which says why."""
    try:
        yield
    except (BadInput, TooLarge) as refused:
        raise ToolError(str(refused)) from refused


def _place(path: str) -> tuple[str, ...]:
    """Return the names of a path below the root."""
    if not path.startswith(_ROOT):
        raise ToolError(f"Path must start with /memories, got: {path}")
    root = _ANYWHERE + _ROOT
    whole = posixpath.normpath(f"{root}/{path[len(_ROOT) :].lstrip('/')}")
    if whole != root and not whole.startswith(f"{root}/"):
        raise ToolError(f"Path {path} would escape /memories directory")
    return tuple(name for name in whole[len(root) :].split("/") if name)


def _content(document: Any) -> str:
    """Return the text of a document, or its value as JSON."""
    return json.dumps(document.value, ensure_ascii=False) if document.body is None else document.body


def _numbered(command: BetaMemoryTool20250818ViewCommand, content: str) -> str:
    """Return the lines of a file, or those of a range, with their numbers."""
    lines = content.split("\n")
    if len(lines) > _MOST_LINES:
        raise ToolError(f"File {command.path} exceeds maximum line limit of 999,999 lines.")
    first, last = 0, len(lines)
    if command.view_range and len(command.view_range) == 2:
        first = max(1, command.view_range[0]) - 1
        last = last if command.view_range[1] == -1 else command.view_range[1]
    header = f"Here's the content of {command.path} with line numbers:\n"
    return header + "\n".join(_line(number, line) for number, line in enumerate(lines[first:last], first + 1))


def _replaced(command: BetaMemoryTool20250818StrReplaceCommand, content: str) -> tuple[str, str]:
    """Return a content with a text replaced, and the answer."""
    old, count = command.old_str, content.count(command.old_str)
    if count == 0:
        raise ToolError(
            f"No replacement was performed, old_str `{old}` did not appear verbatim in {command.path}."
        )
    if count > 1:
        numbers = ", ".join(str(number) for number in _lines_with(content, old))
        raise ToolError(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {numbers}."
            " Please ensure it is unique"
        )
    changed = content[: content.find(old)].count("\n")
    new = content.replace(old, command.new_str)
    lines = new.split("\n")
    first, last = max(0, changed - 2), min(len(lines), changed + 3)
    shown = "\n".join(_line(number + 1, lines[number]) for number in range(first, last))
    said = "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
    return new, said + shown


def _inserted(command: BetaMemoryTool20250818InsertCommand, content: str) -> tuple[str, str]:
    """Return a content with lines inserted, and the answer."""
    lines = content.split("\n")
    if lines[-1] == "":
        lines.pop()
    if not 0 <= command.insert_line <= len(lines):
        raise ToolError(
            f"Invalid `insert_line` parameter: {command.insert_line}."
            f" It should be within the range [0, {len(lines)}]."
        )
    lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
    new = "\n".join(lines)
    return new if new.endswith("\n") else f"{new}\n", f"The file {command.path} has been edited."


def _lines_with(content: str, text: str) -> Iterator[int]:
    """Yield the line of each place at which a text stands, also of those that overlap."""
    place, line, counted = content.find(text), 1, 0
    while place != -1:
        line += content.count("\n", counted, place)
        counted = place
        yield line
        place = content.find(text, place + 1)


def _line(number: int, line: str) -> str:
    return f"{number:>{_WIDTH}}\t{line}"


def _grow(tree: Tree, names: Sequence[str], size: int) -> None:
    """Put a file into a tree."""
    *folders, name = names
    for folder in folders:
        inner = tree.get(folder)
        if not isinstance(inner, Tree):
            inner = tree[folder] = Tree()
        tree = inner
    tree.setdefault(name, size)


def _listed(tree: Tree, above: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield the size and the name of what is in a directory, without hidden names."""
    for name in sorted(one for one in tree if not one.startswith(".")):
        inside = tree[name]
        if not isinstance(inside, Tree):
            yield _size(inside), above + name
            continue
        yield _DIRECTORY_SIZE, f"{above}{name}/"
        if depth < _DEEPEST:
            yield from _listed(inside, f"{above}{name}/", depth + 1)


def _size(count: int) -> str:
    """Return a number of bytes in the largest unit that it fills."""
    unit = min(max(count.bit_length() - 1, 0) // 10, len(_UNITS) - 1)
    size = count / 1024**unit
    return f"{size:.0f}{_UNITS[unit]}" if size == int(size) else f"{size:.1f}{_UNITS[unit]}"
