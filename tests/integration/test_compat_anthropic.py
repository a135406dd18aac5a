"""Anthropic's memory tool over documents, beside the one over files that the SDK has."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from anthropic.lib.tools import ToolError
from anthropic.tools import BetaLocalFilesystemMemoryTool
from anyio import create_task_group
from long_form import sized

from quipu import AsyncMemory, Memory
from quipu.compat.anthropic import AsyncMemoryTool, MemoryTool
from quipu.errors import NotFound
from quipu.kernel.config import Settings

pytestmark = pytest.mark.anyio
SPACE = "ana"
NAMES = ("a", "b.txt", "sub", ".hidden", "Grüße.md", "deep")
TEXTS = (
    "",
    "one",
    "one\ntwo\nthree\n",
    "one two one\ntwo\n",
    "\r\nline\r\n",
    "ä\n\n\nend",
    "aaaa\naa\n",
    "x" * 3000,
)
COMMANDS = (
    "view",
    "view",
    "create",
    "create",
    "create",
    "str_replace",
    "insert",
    "insert",
    "delete",
    "rename",
)
SAID_OF_THE_SYSTEM = re.compile(r"is not a directory|into itself|does not exist$")


@pytest.fixture
def blocking(settings: Settings) -> Iterator[Memory]:
    with Memory(settings=settings) as memory:
        yield memory


def command(chance: random.Random) -> dict[str, Any]:
    """Return a command that may make sense."""
    act = chance.choice(COMMANDS)
    given: dict[str, Any] = {"command": act, "path": path(chance)}
    match act:
        case "view":
            given["view_range"] = chance.choice([None, None, [1, 2], [2, -1], [0, 1], [5, 3], [2, 99], [1]])
        case "create":
            given["file_text"] = chance.choice(TEXTS)
        case "str_replace":
            given["old_str"] = chance.choice(["one", "two", "aa", "\n", "nothing", "", "line\r"])
            given["new_str"] = chance.choice(["", "1", "two\nlines"])
        case "insert":
            given["insert_line"] = chance.choice([-1, 0, 1, 2, 3, 99])
            given["insert_text"] = chance.choice(["", "new", "new\n", "two\nlines\n\n"])
        case "rename":
            given = {"command": act, "old_path": given["path"], "new_path": path(chance)}
        case _:
            pass
    return given


def path(chance: random.Random) -> str:
    odd = (
        "/etc/passwd",
        "/memories/../x",
        "/memories/a/../../..",
        "/memories",
        "/memories/",
        "/memoriesa",
        "",
    )
    if chance.random() < 0.08:
        return chance.choice(odd)
    names = [chance.choice(NAMES) for _ in range(chance.choice([1, 1, 1, 2, 2, 3]))]
    if chance.random() < 0.1:
        names.insert(chance.randrange(len(names) + 1), chance.choice([".", "..", ""]))
    return "/memories/" + "/".join(names)


def of_files(tool: BetaLocalFilesystemMemoryTool, given: dict[str, Any]) -> str:
    """Return the answer of the SDK's own tool; it keeps directories that are empty, documents do not."""
    try:
        said = str(tool.call(given))
    except ToolError as error:
        said = f"error: {error}"
    except OSError:
        said = "error: of the system"
    root = Path(tool.memory_root)
    for folder in sorted((one for one in root.rglob("*") if one.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()
    return without_sizes(said)


def without_sizes(said: str) -> str:
    """Return a listing without the sizes of directories: they are those of the file system."""
    if not said.startswith("Here're"):
        return said
    header, _, *lines = said.split("\n")
    return "\n".join([header, *(re.sub(r"^\S+\t(.*/)$", r"\1", line) for line in lines)])


def same(ours: str, theirs: str) -> bool:
    """Compare answers; where the system refuses, the SDK lets its error through, and ours says why."""
    return ours == theirs or (theirs == "error: of the system" and bool(SAID_OF_THE_SYSTEM.search(ours)))


@pytest.mark.long
@pytest.mark.parametrize("seed", range(sized(2, long=8)))
def test_the_tool_answers_as_the_one_over_files(blocking: Memory, tmp_path: Path, seed: int) -> None:
    chance, theirs = random.Random(seed), BetaLocalFilesystemMemoryTool(str(tmp_path))
    ours = MemoryTool(blocking, space=SPACE)
    for _ in range(250):
        given = command(chance)
        try:
            said = str(ours.call(given))
        except ToolError as error:
            said = f"error: {error}"
        expected = of_files(theirs, given)
        assert same(without_sizes(said), expected), given
    shutil.rmtree(tmp_path)


@pytest.mark.long
async def test_the_async_tool_answers_as_the_one_over_files(memory: AsyncMemory, tmp_path: Path) -> None:
    chance, theirs = random.Random(7), BetaLocalFilesystemMemoryTool(str(tmp_path))
    ours = AsyncMemoryTool(memory, space=SPACE)
    for _ in range(sized(100, long=250)):
        given = command(chance)
        try:
            said = str(await ours.call(given))
        except ToolError as error:
            said = f"error: {error}"
        assert same(without_sizes(said), of_files(theirs, given)), given


def do(tool: MemoryTool, act: str, **given: Any) -> str:
    return str(tool.call({"command": act, **given}))


def test_a_file_reads_as_it_was_written_secrets_included(blocking: Memory) -> None:
    tool = MemoryTool(blocking, space=SPACE)
    secret = "AKIA" + "IOSFODNN7EXAMPLQ"
    do(tool, "create", path="/memories/keys.md", file_text=f"# Keys\n\naws_access_key_id = {secret}\n")
    assert secret in do(tool, "view", path="/memories/keys.md")
    assert secret not in str(blocking.recall("aws access key", space=SPACE))


def test_a_file_is_recalled_and_keeps_its_versions(blocking: Memory) -> None:
    tool = MemoryTool(blocking, space=SPACE, path="agents/claude", user="ana")
    do(tool, "create", path="/memories/boat/notes.md", file_text="# Boat\n\nShe is moored in Horta.\n")
    do(tool, "str_replace", path="/memories/boat/notes.md", old_str="Horta", new_str="Faial")
    hit = blocking.recall("Where is the boat moored?", space=SPACE)[0]
    assert (hit.kind, hit.source.message) == ("document", "agents/claude/boat/notes.md:1")
    history = blocking.documents.history("agents/claude/boat", "notes.md", space=SPACE)
    assert [one.version for one in history] == [2, 1]
    assert blocking.documents.get("agents/claude/boat", "notes.md", space=SPACE).user == "ana"


def test_what_is_deleted_comes_back(blocking: Memory) -> None:
    tool = MemoryTool(blocking, space=SPACE)
    do(tool, "create", path="/memories/a/b.txt", file_text="one")
    do(tool, "create", path="/memories/c.txt", file_text="two")
    assert do(tool, "delete", path="/memories/a") == "Successfully deleted /memories/a"
    assert tool.clear_all_memory() == "All memory cleared"
    assert blocking.documents.list(space=SPACE) == []
    assert blocking.documents.revert("memories/a", "b.txt", to=1, space=SPACE).body == "one"


def test_tools_of_two_spaces_see_nothing_of_each_other(blocking: Memory) -> None:
    do(MemoryTool(blocking, space="one"), "create", path="/memories/a", file_text="x")
    with pytest.raises(ToolError, match="does not exist"):
        do(MemoryTool(blocking, space="two"), "view", path="/memories/a")
    with pytest.raises(NotFound):
        blocking.documents.get("memories", "a", space="two")


def test_what_cannot_be_kept_is_refused_to_the_model(blocking: Memory) -> None:
    tool = MemoryTool(blocking, space=SPACE)
    with pytest.raises(ToolError, match="NUL"):
        do(tool, "create", path="/memories/a", file_text="\0")
    with pytest.raises(ToolError, match="16"):
        do(tool, "create", path="/memories/a", file_text="x" * (17 * 2**20))


async def test_an_edit_meets_another_one(memory: AsyncMemory) -> None:
    first, second = AsyncMemoryTool(memory, space=SPACE), AsyncMemoryTool(memory, space=SPACE)
    await first.call({"command": "create", "path": "/memories/a", "file_text": "0\n"})
    inserts = [
        tool.call({"command": "insert", "path": "/memories/a", "insert_line": 0, "insert_text": f"{number}"})
        for number, tool in enumerate([first, second] * 4, start=1)
    ]
    async with create_task_group() as group:
        for insert in inserts:
            group.start_soon(_awaited, insert)
    document = await memory.documents.get("memories", "a", space=SPACE)
    assert sorted((document.body or "").split()) == [*"012345678"]


async def _awaited(insert: Any) -> None:
    await insert


def test_a_tool_opens_and_closes_a_memory_of_its_own(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QUIPU_EMBEDDING_MODEL", "hashing")
    with MemoryTool(url, space=SPACE, cache_control={"type": "ephemeral"}) as tool:
        do(tool, "create", path="/memories/a", file_text="x")
        assert tool.to_dict() == {
            "type": "memory_20250818",
            "name": "memory",
            "cache_control": {"type": "ephemeral"},
        }
