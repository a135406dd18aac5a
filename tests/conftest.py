"""Fixtures that every suite may use."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import memory_disk
import pytest
from hypothesis import settings
from long_form import LONG, sized
from made_once import MadeOnce

ROOT = Path(__file__).resolve().parent.parent


RUN = pytest.StashKey[Path]()
"""The directory of a run, which its workers share."""


def pytest_configure(config: pytest.Config) -> None:
    """No test fails for being slow. Continuous integration tries the same examples each time; everybody else
    new ones. Temporary directories, those of other processes included, are made in
    memory where there is room. What is collected stays to the end: no garbage is looked for in it."""
    gc.disable()
    # A run in the background ignores it, and so would every process that is started here.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    examples = sized(15, long=100)
    settings.register_profile("quipu", deadline=None, max_examples=examples, derandomize="CI" in os.environ)
    settings.load_profile("quipu")
    if "TMPDIR" not in os.environ and memory_disk.has_room():
        os.environ["TMPDIR"] = tempfile.tempdir = str(memory_disk.PLACE)
    if worker := getattr(config, "workerinput", None):
        config.stash[RUN] = Path(worker["run"])
    else:
        config.stash[RUN] = Path(tempfile.mkdtemp(prefix="quipu-run-"))
        config.stash[RUN].chmod(0o711)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """A worker is told the directory of the run."""
    node.workerinput["run"] = str(node.config.stash[RUN])


def pytest_unconfigure(config: pytest.Config) -> None:
    """Whoever made the directory of the run removes it, when all workers have ended."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(config.stash[RUN], ignore_errors=True)


def pytest_collection_finish() -> None:
    """From here on garbage is collected, among what the tests make; a test makes much at once, so seldom."""
    gc.enable()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


def pytest_xdist_auto_num_workers() -> int:
    """Most of the time a test waits, for PostgreSQL or a process: three workers for each processor."""
    return min(6, 3 * (os.cpu_count() or 1))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What measures for long runs among the long forms only."""
    left_out = [] if LONG else [item for item in items if _long_only(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not _long_only(item)]


def _long_only(item: pytest.Item) -> bool:
    mark = item.get_closest_marker("long")
    return mark is not None and bool(mark.kwargs.get("only"))


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Async tests run on asyncio, as the library does; fixtures of a module are in one loop."""
    return "asyncio"


@pytest.fixture(scope="session")
def repository() -> Path:
    """The directory of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def made_once(pytestconfig: pytest.Config) -> MadeOnce:
    """Makes what all workers of the run may share."""
    return MadeOnce(pytestconfig.stash[RUN])


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
