"""The Python examples of the documentation run as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tree import ROOT, SOURCE

EXAMPLE = re.compile(
    r"^(<!-- not run: (?P<reason>.+) -->\n+)?```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL
)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
WITH_EXAMPLES = [page for page in PAGES if page.is_file() and EXAMPLE.search(page.read_text("utf-8"))]


def program(page: Path) -> str:
    """The examples of a page, one after the other: later ones may use what earlier ones made."""
    blocks = [match for match in EXAMPLE.finditer(page.read_text("utf-8")) if not match["reason"]]
    return "\n\n".join(block["code"] for block in blocks)


def test_the_readme_has_examples() -> None:
    assert program(ROOT / "README.md").strip()


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_examples_of_a_page_run(page: Path, home: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("QUIPU_")}
    environment |= {"QUIPU_HOME": str(home), "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "-c", program(page)],
        capture_output=True,
        text=True,
        env=environment,
        cwd=home,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr


def test_a_readme_is_read_to_its_end() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 150
