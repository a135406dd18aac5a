"""What the tests of the code itself read: the package as files, and the tools."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).resolve().parent
TOOLS = HERE.parent.parent / "tools"
sys.path += [str(directory) for directory in (HERE, TOOLS) if str(directory) not in sys.path]

from make_sync import Face, generate  # noqa: E402 - found by the line before

SHELF = (
    Face("face.shelf", "AsyncShelf", "Shelf"),
    Face("face.shelf", "AsyncBox", "Box"),
    Face("face.shelf", "AsyncLabelledBox", "LabelledBox"),
)


@pytest.fixture(scope="session")
def package(repository: Path) -> Path:
    return repository / "src" / "quipu"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory in which the generated module is called ``blocking_shelf``."""
    directory = tmp_path_factory.mktemp("written")
    (directory / "blocking_shelf.py").write_text(generate(SHELF, HERE), "utf-8")
    return directory


@pytest.fixture
def blocking(written: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(written))
    return importlib.import_module("blocking_shelf")
