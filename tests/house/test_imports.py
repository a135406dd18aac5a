"""Imports go down, never in circles, and never to something that may not be installed."""

from __future__ import annotations

import configparser
import subprocess
import sys
import tomllib

import grimp
import pytest
from packaging.requirements import Requirement
from patience import PATIENCE_SECONDS
from tree import PACKAGE, ROOT, SOURCE, module_name, modules

# Distribution of an extra -> what it is called in an import, where the two differ.
IMPORT_NAMES = {"sentence-transformers": "sentence_transformers", "openai-agents": "agents"}
# These need their extra to be imported at all; who imports them, such as `quipu serve`, says which one it is.
# A class that takes the place of a peer's is one of its classes, and says so itself.
DOORS = ("server", "serving", "rest", "web", "mcp")
PEERS = (
    "adk",
    "agent_framework",
    "anthropic",
    "langgraph",
    "llama_index",
    "mem0.routes",
    "memory_files",
    "memory_stores.routes",
    "pydantic_ai",
    "server_memory.server",
)
NEED_ONE = (
    *(f"quipu.interfaces.{door}" for door in DOORS),
    *(f"quipu.compat.{peer}" for peer in PEERS),
    "quipu.kernel.queue.redis",
)
HEAVY = {"anyio", "asyncio", "numpy", "onnxruntime", "psycopg", "pydantic", "rich", "tokenizers", "click"}


def python(code: str) -> str:
    """What a fresh interpreter prints that finds our package in the checkout."""
    program = f"import sys; sys.path.insert(0, {str(SOURCE)!r})\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE_SECONDS
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("quipu", cache_dir=None)


def test_the_import_contracts_hold() -> None:
    lint = [
        sys.executable,
        "-c",
        "import sys; from importlinter.cli import lint_imports as lint; sys.exit(lint(no_cache=True))",
    ]
    done = subprocess.run(lint, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("container", ["quipu", "quipu.kernel"])
def test_every_part_of_the_house_stands_on_a_storey(container: str) -> None:
    config = configparser.ConfigParser()
    config.read(ROOT / ".importlinter")
    layers = next(
        config[section]
        for section in config.sections()
        if config[section].get("containers", "").split() == [container]
    )
    assert layers["exhaustive"] == "true"
    named = {word.strip("()") for word in layers["layers"].replace("|", " ").split()}
    folder = SOURCE.joinpath(*container.split("."))
    parts = {p.stem for p in folder.glob("*.py")} | {p.parent.name for p in folder.glob("*/__init__.py")}
    assert parts - {"__init__"} <= named


def test_every_module_is_inside_a_package(graph: grimp.ImportGraph) -> None:
    assert {module_name(path) for path in modules()} == graph.modules
    lost = [
        folder
        for folder in PACKAGE.rglob("*/")
        if any(folder.glob("*.py")) and not (folder / "__init__.py").is_file()
    ]
    assert lost == []


def test_no_modules_import_each_other_in_a_circle(graph: grimp.ImportGraph) -> None:
    waiting = {
        module: {found for found in graph.find_modules_directly_imported_by(module) if found != module}
        for module in graph.modules
    }
    while free := {module for module, imported in waiting.items() if not imported}:
        waiting = {module: imported - free for module, imported in waiting.items() if module not in free}
    assert waiting == {}, "these modules are in a circle, or import one that is"


def test_importing_quipu_loads_nothing_heavy() -> None:
    code = f"import quipu\nprint(sorted({HEAVY!r} & set(sys.modules)))"
    assert python(code) == "[]"


def test_the_blocking_and_the_async_memory_are_found_in_the_package() -> None:
    assert python("from quipu import Memory, AsyncMemory\nprint(Memory.__name__, AsyncMemory.__name__)") == (
        "Memory AsyncMemory"
    )


def test_every_module_imports_without_any_optional_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = {Requirement(line).name for lines in project["optional-dependencies"].values() for line in lines}
    missing = sorted(IMPORT_NAMES.get(name, name) for name in extras)
    names = [
        name
        for name in map(module_name, modules())
        if not name.endswith("__main__") and not f"{name}.".startswith(tuple(f"{one}." for one in NEED_ONE))
    ]
    code = (
        "import importlib\n"
        f"for name in {missing!r}: sys.modules[name] = None\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
        "print('all')"
    )
    assert python(code) == "all"
