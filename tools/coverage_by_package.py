"""Show how much of each package of quipu the tests cover, least first.

    python tools/coverage_by_package.py .coverage.json

The file is what ``coverage json`` writes. A package is the folder of a module, at most two below ``quipu``;
the share counts lines and branches, as coverage.py's own total does.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path, PurePath

from rich.console import Console
from rich.table import Table

DEPTH = 2


def package_of(path: str) -> str:
    """Return ``quipu.kinds.ledger`` for ``src/quipu/kinds/ledger/store.py``."""
    parts = PurePath(path).parts
    start = parts.index("quipu")
    return ".".join(parts[start:-1][: DEPTH + 1])


def by_package(report: dict[str, dict[str, dict[str, dict[str, int]]]]) -> list[tuple[str, int, int]]:
    """Return each package with what is covered of it and what there is to cover, least covered first."""
    covered: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    for path, file in report["files"].items():
        summary = file["summary"]
        package = package_of(path)
        covered[package] += summary["covered_lines"] + summary.get("covered_branches", 0)
        whole[package] += summary["num_statements"] + summary.get("num_branches", 0)
    rows = [(package, covered[package], total) for package, total in whole.items() if total]
    return sorted(rows, key=lambda row: (row[1] / row[2], row[0]))


def main() -> int:
    """Print the table."""
    report = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    table = Table("package", "lines and branches", "covered")
    for package, covered, total in by_package(report):
        table.add_row(package, f"{total:,}", f"{covered / total:.1%}")
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
