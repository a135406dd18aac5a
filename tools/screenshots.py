"""Take docs/images/*.png: pages of `quipu serve` over the samples, in Debian's chromium, light and small.

python tools/screenshots.py [DIRECTORY]      (docs/images; needs playwright and /usr/bin/chromium)
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from quipu import Memory

ROOT = Path(__file__).resolve().parent.parent
SPACE = "samples"
SIZE = {"width": 860, "height": 540}
PAGES = {
    "overview": "/",
    "recall": "/recall?q=What+did+the+dog+swallow%3F",
}


def main(directory: Path) -> None:
    """Take them all."""
    with tempfile.TemporaryDirectory(prefix="quipu-") as temporary:
        home = Path(temporary)
        home.chmod(0o711)
        with Memory(home=home) as memory:
            fill(memory)
            with served(home) as link, sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-lcd-text"]
                )
                page = browser.new_page(viewport=SIZE, color_scheme="light")
                page.goto(link)
                base = page.url.rstrip("/")
                for name, path in PAGES.items():
                    take(page, f"{base}{path}", directory / f"{name}.png")
                browser.close()


def fill(memory: Memory) -> None:
    """The recorded conversations that ship with the project, and what comes of them."""
    lines = (ROOT / "samples" / "chat.jsonl").read_text("utf-8").splitlines()
    memory.import_messages(map(json.loads, lines), space=SPACE)
    memory.work()


def take(page: Page, url: str, file: Path) -> None:
    """One page, into a file."""
    page.goto(f"{url}{'&' if '?' in url else '?'}space={SPACE}")
    page.screenshot(path=file)
    print(f"{file.name}: {file.stat().st_size:,} bytes")


@contextmanager
def served(home: Path) -> Iterator[str]:
    """`quipu serve` for the block; its sign-in link."""
    command = [sys.executable, "-m", "quipu", "serve", "--port", "0", "--home", str(home)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        links = (re.match(r"Pages: (\S+)", line) for line in process.stdout)
        yield next(found[1] for found in links if found)
        process.terminate()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "images")
