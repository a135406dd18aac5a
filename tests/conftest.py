"""Fixtures that every suite may use."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import memory_disk
import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent


def pytest_configure() -> None:
    """No test fails for being slow; temporary directories, those of other processes included, are made in
    memory where there is room."""
    settings.register_profile("quipu", deadline=None)
    settings.load_profile("quipu")
    if "TMPDIR" not in os.environ and memory_disk.has_room():
        os.environ["TMPDIR"] = tempfile.tempdir = str(memory_disk.PLACE)


@pytest.fixture
def anyio_backend() -> str:
    """Async tests run on asyncio, as the library does."""
    return "asyncio"


@pytest.fixture(scope="session")
def repository() -> Path:
    """The directory of the checkout."""
    return ROOT


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """``QUIPU_*`` of whoever runs the tests must not reach them."""
    for name in [name for name in os.environ if name.startswith("QUIPU_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def home() -> Iterator[Path]:
    """An empty home directory for an embedded database.

    Its path is short enough for a socket, and other accounts may pass through it: when root runs the
    tests, the server belongs to another account. (pytest's own directories are closed to others.)
    """
    with tempfile.TemporaryDirectory(prefix="quipu-") as directory:
        path = Path(directory)
        path.chmod(0o711)
        yield path
