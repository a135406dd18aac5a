"""The generator of the blocking face, run on classes of every shape."""

from __future__ import annotations

import contextlib
import gc
import importlib
import inspect
import os
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from face.shelf import ShelfError
from patience import PATIENCE_SECONDS

from make_sync import FACES, Face, generate
from quipu.errors import QuipuError
from sync_face.source import Untranslatable

HERE = Path(__file__).resolve().parent


@pytest.fixture
def shelf(blocking: ModuleType) -> Iterator[Any]:
    with blocking.Shelf(None, "ana") as shelf:
        yield shelf


def refusal(tmp_path: Path, body: str, head: str = "") -> str:
    (tmp_path / "odd.py").write_text(f"{head}\nclass AsyncOdd:\n{body}\n", "utf-8")
    with pytest.raises(Untranslatable) as refused:
        generate([Face("odd", "AsyncOdd", "Odd")], tmp_path)
    return str(refused.value)


def test_the_committed_face_is_fresh(repository: Path) -> None:
    tool = [sys.executable, str(repository / "tools" / "make_sync.py"), "--check"]
    done = subprocess.run(tool, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_public_method_of_the_async_classes_is_in_the_committed_face() -> None:
    sync = importlib.import_module("quipu.sync")
    for face in FACES:
        source = getattr(importlib.import_module(face.module), face.source)
        names = {"close" if n == "aclose" else n for n in vars(source) if not n.startswith("_")}
        assert names <= set(vars(getattr(sync, face.target)))


def test_signatures_docs_and_defaults_are_kept(blocking: ModuleType) -> None:
    assert str(inspect.signature(blocking.Shelf.__init__)) == (
        "(self, home: 'str | None' = None, /, owner: 'str' = 'nobody', *, broken: 'bool' = False) -> 'None'"
    )
    assert str(inspect.signature(blocking.Shelf.add_all)) == "(self, *books: 'Book', **notes: 'str') -> 'int'"
    assert str(inspect.signature(blocking.Shelf.take_in)) == "(self, books: 'Iterable[Book]') -> 'int'"
    assert 'A title with a \\ backslash or """quotes""" is' in str(blocking.Shelf.add.__doc__)


def test_examples_in_docs_are_made_blocking(blocking: ModuleType) -> None:
    doc = str(blocking.Shelf.__doc__)
    assert ">>> with Shelf() as shelf:" in doc
    assert '...     shelf.add("Emma", pages=474)' in doc
    assert "``shelf.close()``" in doc
    assert blocking.Box.double.__doc__ == "Twice the number; see :class:`Shelf`."


def test_calls_return_what_the_async_methods_return(shelf: Any) -> None:
    book = shelf.add("Emma", pages=474)
    assert (book.title, book.pages) == ("Emma", 474)
    assert shelf.add_all(book, book, note="twice") == 3
    assert shelf.take_in(iter([book])) == 4
    assert shelf.count() == 4
    assert shelf.find("Emma") == book
    assert shelf.find("Emma", every=True) == [book] * 4
    assert shelf.find("Persuasion") is None


def test_properties_pass_through_and_parts_are_blocking_too(shelf: Any, blocking: ModuleType) -> None:
    assert shelf.owner == "ana"
    assert isinstance(shelf.box, blocking.Box)
    assert shelf.box.label == "box of ana"
    assert shelf.box.double(21) == 42
    assert shelf.open_box("red").label == "red"


def test_a_method_that_returns_itself_returns_the_blocking_object(shelf: Any) -> None:
    assert shelf.dust() is shelf


def test_exceptions_keep_their_type_and_traceback(shelf: Any) -> None:
    with pytest.raises(ShelfError, match="the board broke") as caught:
        shelf.fail()
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert (frames[-1].name, Path(frames[-1].filename).name) == ("fail", "shelf.py")


def test_an_async_generator_is_an_iterator_that_makes_items_when_asked(shelf: Any) -> None:
    for title in "abc":
        shelf.add(title)
    books = shelf.books()
    assert next(books).title == "a"
    assert shelf.events == []
    assert [book.title for book in books] == ["b", "c"]
    assert shelf.events == ["after a", "after b", "after c", "ended"]
    assert [book.title for book in shelf.books("down")] == ["c", "b", "a"]


def test_leaving_an_iterator_early_ends_its_generator(shelf: Any) -> None:
    shelf.add("a")
    shelf.add("b")
    for _ in shelf.books():
        break
    books = shelf.books()
    next(books)
    books.close()
    assert shelf.events.count("ended") == 2


def test_an_iterator_raises_what_its_generator_raises(shelf: Any) -> None:
    books = shelf.broken_books()
    assert next(books).title == "first"
    with pytest.raises(ShelfError, match="the second is missing"):
        next(books)


def test_a_context_manager_method_works_in_a_blocking_with(shelf: Any) -> None:
    with shelf.lent("Emma") as book:
        assert book.title == "Emma"


def test_many_threads_may_call_at_once(shelf: Any) -> None:
    threads = [threading.Thread(target=lambda: [shelf.add("x") for _ in range(50)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert shelf.count() == 400


def test_a_closed_object_says_so_and_may_be_closed_again(blocking: ModuleType) -> None:
    with blocking.Shelf() as shelf:
        box = shelf.box
    shelf.close()
    for late in (shelf.count, shelf.fail, lambda: box.double(1), lambda: next(shelf.books())):
        with pytest.raises(QuipuError, match=r"This Shelf is closed\."):
            late()


def test_it_can_be_closed_without_having_been_entered(blocking: ModuleType) -> None:
    shelf = blocking.Shelf()
    assert shelf.count() == 0
    shelf.close()
    assert "quipu Shelf" not in {thread.name for thread in threading.enumerate()}


@pytest.mark.parametrize("arguments", [{"broken": True}, {"owner": "a ghost"}])
def test_a_failed_start_leaves_no_thread_behind(blocking: ModuleType, arguments: dict[str, Any]) -> None:
    with (
        pytest.raises(ShelfError),
        blocking.Shelf(**arguments),
    ):
        pytest.fail("it opened")
    assert "quipu Shelf" not in {thread.name for thread in threading.enumerate()}


def test_closing_ends_calls_that_other_threads_are_waiting_for(blocking: ModuleType) -> None:
    shelf = blocking.Shelf()
    caught: list[str] = []

    def wait() -> None:
        try:
            shelf.wait(3600)
        except QuipuError as error:
            caught.append(str(error))

    waiting = threading.Thread(target=wait)
    waiting.start()
    while "waiting" not in shelf.events:
        time.sleep(0.01)
    shelf.close()
    waiting.join(PATIENCE_SECONDS)
    assert caught == ["This Shelf is closed. Open a new Shelf."]


def test_calling_it_from_inside_one_of_its_calls_is_refused_and_does_not_hang(shelf: Any) -> None:
    with pytest.raises(QuipuError, match="from inside one of its own calls"):
        shelf.take_in(shelf.add(title) for title in "abc")
    assert shelf.count() == 0


def test_calls_and_closing_at_once_never_hang(blocking: ModuleType) -> None:
    for _ in range(20):
        shelf = blocking.Shelf()
        threads = [threading.Thread(target=add_until_closed, args=[shelf]) for _ in range(4)]
        for thread in threads:
            thread.start()
        shelf.close()
        for thread in threads:
            thread.join(PATIENCE_SECONDS)
        assert not any(thread.is_alive() for thread in threads)


def add_until_closed(shelf: Any) -> None:
    with contextlib.suppress(QuipuError):
        while True:
            shelf.add("x")


def test_the_face_imports_nothing_heavy_until_it_is_opened(written: Path, repository: Path) -> None:
    code = (
        "import sys, blocking_shelf\n"
        "print(sorted({'anyio', 'asyncio', 'face.shelf', 'quipu.kernel.base.portal'} & set(sys.modules)))"
    )
    assert run(code, written, repository).stdout.strip() == "[]"


def run(code: str, written: Path, repository: Path) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter that ends by itself, or the test fails."""
    path = [str(written), str(HERE), str(repository / "src")]
    program = f"import sys; sys.path[:0] = {path!r}\n{code}"
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=True
    )


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("shelf = Shelf(); shelf.add('x'); shelf.thread()", "closed"),
        ("shelf = Shelf(); shelf.__enter__(); shelf.thread()", "closed"),
        ("shelf = Shelf(); shelf.thread(); books = shelf.books(); next(books, None)", "closed"),
        ("shelf = Shelf(); shelf.thread(); raise SystemExit(0)", "closed"),
        ("box = Shelf().box; import gc; gc.collect(); print(box.double(2))", "4\nclosed"),
        (
            "import threading, time; shelf = Shelf(); shelf.thread()\n"
            "threading.Thread(target=lambda: (time.sleep(.3), print(shelf.count()))).start()",
            "0\nclosed",
        ),
    ],
)
def test_a_forgotten_close_is_done_when_the_program_ends(
    written: Path, repository: Path, code: str, said: str
) -> None:
    head = (
        "import face.shelf\n"
        "async def aclose(self): print('closed', flush=True)\n"
        "face.shelf.AsyncShelf.aclose = aclose\n"
        "from blocking_shelf import Shelf\n"
    )
    done = run(head + code, written, repository)
    assert (done.stdout.strip(), done.stderr) == (said, "")


def test_a_collected_object_is_closed_with_a_warning(blocking: ModuleType) -> None:
    forgotten = [blocking.Shelf()]
    with pytest.warns(ResourceWarning, match="unclosed Shelf"):
        forgotten.clear()
    gc.collect()
    for thread in threading.enumerate():
        if thread.name == "quipu closes Shelf":
            thread.join(PATIENCE_SECONDS)
    assert "quipu Shelf" not in {thread.name for thread in threading.enumerate()}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
def test_an_interrupt_cancels_the_call_and_is_raised(written: Path, repository: Path) -> None:
    code = (
        "import os, signal, threading\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell may have it ignored
        "from blocking_shelf import Shelf\n"
        "with Shelf() as shelf:\n"
        "    try:\n"
        "        threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "        shelf.wait(3600)\n"
        "    except KeyboardInterrupt:\n"
        "        print('interrupted', shelf.count())\n"
    )
    assert run(code, written, repository).stdout.split() == ["rolled", "back", "interrupted", "0"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform cannot fork")
def test_a_forked_child_is_told_to_open_its_own(written: Path, repository: Path) -> None:
    code = (
        "import os\n"
        "from blocking_shelf import Shelf\n"
        "with Shelf() as shelf:\n"
        "    if (child := os.fork()) == 0:\n"
        "        try:\n"
        "            shelf.count()\n"
        "        except Exception as error:\n"
        "            print(error, flush=True)\n"
        "        with Shelf() as own: print(own.count(), flush=True)\n"
        "        os._exit(0)\n"
        "    os.waitpid(child, 0)\n"
        "    print(shelf.count())\n"
    )
    said = run(code, written, repository).stdout.splitlines()
    assert said == [
        "This Shelf was opened before the process forked. Open a Shelf in each process.",
        "0",
        "0",
    ]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("    limit: int = 3", "make the public attribute limit a property"),
        ("    async def go(self): ...", "go: write what it returns"),
        (
            "    @classmethod\n    async def go(cls) -> None: ...",
            "nothing is known of the decorator classmethod",
        ),
        ("    async def go(self, n: int = LIMIT) -> None: ...", "defaults must be literals, not LIMIT"),
        ("    async def go(self) -> Awaitable[int]: ...", "Awaitable has no meaning in blocking code"),
        ("    async def go(self, n: Unheard) -> None: ...", "nothing is known of the name Unheard"),
        ("    async def go(self, a: AsyncIterable[int]) -> None: ...", "cannot be passed by blocking code"),
        ("    async def go(self) -> list[AsyncOdd]: ...", "return Odd alone, not inside another type"),
        ("    @property\n    async def go(self) -> int: ...", "a property cannot be awaited"),
        ("    async def aclose(self, now: int) -> None: ...", "aclose must be async and take no arguments"),
    ],
)
def test_what_has_no_faithful_form_is_refused(tmp_path: Path, body: str, why: str) -> None:
    assert why in refusal(tmp_path, body)


def test_a_class_inherits_from_the_blocking_face_of_its_base(blocking: ModuleType, shelf: Any) -> None:
    assert blocking.LabelledBox.__bases__ == (blocking.Box,)
    box = shelf.labelled
    assert (box.label, box.double(4), box.triple(4)) == ("labelled", 8, 12)


def test_inherited_and_relative_things_are_refused(tmp_path: Path) -> None:
    assert "full name of the module" in refusal(tmp_path, "    pass", "from . import other")
    (tmp_path / "odd.py").write_text("class AsyncOdd(Base): ...", "utf-8")
    with pytest.raises(Untranslatable, match="inherited methods would be lost"):
        generate([Face("odd", "AsyncOdd", "Odd")], tmp_path)
    with pytest.raises(Untranslatable, match="has no class AsyncNone"):
        generate([Face("odd", "AsyncNone", "None_")], tmp_path)
