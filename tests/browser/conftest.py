"""Pages in a real browser, where QUIPU_TEST_BROWSER names the directory that `.ci/browser` made for it.

A test asks for ``page``, which is signed in, at the widths of a desktop and of a phone. When it ends there
must have been no error in the console and no request to another host; `sound(page)` asks axe-core for faults.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser_seed import seed
from patience import PATIENCE_SECONDS
from served_site import Site, served

from quipu import Memory

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

PLACE = os.environ.get("QUIPU_TEST_BROWSER")  # before the fixtures take QUIPU_* away
CHROMIUM = "/usr/bin/chromium"
WIDTHS = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}
SERIOUS = ("serious", "critical")
OVERHANG = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

if PLACE is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="session")
def house() -> Iterator[Path]:
    """The home of a memory that the server and the tests share."""
    with tempfile.TemporaryDirectory(prefix="quipu-") as directory:
        Path(directory).chmod(0o711)
        yield Path(directory)


@pytest.fixture(scope="session")
def memory(house: Path) -> Iterator[Memory]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUIPU_EMBEDDING_MODEL", "hashing")
        opened = Memory(home=house)
    with opened:
        seed(opened)
        yield opened


@pytest.fixture(scope="session")
def site(house: Path, memory: Memory) -> Iterator[Site]:
    with served(house) as running:
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - it is not installed everywhere

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def signed_in(browser: Browser, site: Site) -> tuple[str, Any]:
    """Where the site is, and the cookies of somebody who opened its link."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(site.link())
    base, state = page.url.rstrip("/"), context.storage_state()
    context.close()
    return base, state


@pytest.fixture(params=WIDTHS)
def context(
    request: pytest.FixtureRequest, browser: Browser, signed_in: tuple[str, Any]
) -> Iterator[BrowserContext]:
    base, state = signed_in
    made = browser.new_context(base_url=base, storage_state=state, viewport=WIDTHS[request.param])
    made.set_default_timeout(1000 * PATIENCE_SECONDS)
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext, signed_in: tuple[str, Any]) -> Iterator[Page]:
    """A signed-in page, which is watched."""
    opened, wrong = context.new_page(), []
    opened.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on(
        "request", lambda asked: None if asked.url.startswith(signed_in[0]) else wrong.append(asked.url)
    )
    yield opened
    assert [fault for fault in wrong if "409 (Conflict)" not in fault] == []


@pytest.fixture(scope="session")
def sound() -> Callable[[Page], None]:
    """Fails where axe-core finds a serious fault, or where a page is wider than its window."""
    assert PLACE is not None
    source = (Path(PLACE) / "axe.min.js").read_text("utf-8")

    def check(page: Page) -> None:
        page.wait_for_load_state()
        page.evaluate(source)
        found = page.evaluate("async () => (await axe.run()).violations")
        faults = [
            f"{one['id']} ({one['impact']}): {one['help']}: {one['nodes'][0]['html']}"
            for one in found
            if one["impact"] in SERIOUS
        ]
        assert faults == [], page.url
        too_wide = page.evaluate(OVERHANG)
        assert too_wide <= 0, f"{page.url} is {too_wide} pixels too wide"

    return check
