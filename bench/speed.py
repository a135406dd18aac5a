"""Measure how fast Quipu is, against a hand-written minimum and against other memories, in one run.

    python bench/speed.py                                10,000 memories of 20 users
    python bench/speed.py --n 100000 --peers quipu,ref   the large one
    python bench/speed.py --spaces 1 --sizes             all in a single space, and where the bytes are

Every store gets the same facts, the same vectors and the same questions. The stores of others are
installed into .bench/ with the versions of bench/peers.txt. One that cannot be installed or run says
so in its row.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from pace import usage
from pace.adapter import PEERS
from pace.report import show, show_sizes, write
from pace.run import Plan, Run
from pace.server import running


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    options = _parse(arguments)
    plan = Plan(
        count=options.n,
        spaces=options.spaces,
        rounds=options.rounds,
        adds=options.adds,
        bulk_seconds=options.bulk_seconds,
        search_seconds=options.search_seconds,
        clients_seconds=options.clients_seconds,
    )
    console = Console(width=options.width)
    busy = usage.load()
    with tempfile.TemporaryDirectory(prefix="quipu-speed-", ignore_cleanup_errors=True) as temporary:
        Path(temporary).chmod(0o711)  # when we are root, another account runs the server and must get in
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        with running(folder / "home") as server:
            stores = Run(plan, server, folder, _progress).measure(options.peers)
    rows = [store.row for store in stores]
    title = f"{plan.count} memories, {plan.spaces} users, {plan.rounds} rounds, {busy} at the start"
    show(console, rows, title=title)
    ours = {store.row.peer: store.sizes for store in stores if PEERS[store.row.peer].is_ours and store.sizes}
    if options.sizes:
        for peer, sizes in ours.items():
            show_sizes(console, sizes, next(row.loaded for row in rows if row.peer == peer), title=peer)
    if options.json:
        write(options.json, rows, vars(options) | {"machine": busy}, ours)
    return 1 if any(row.error and PEERS[row.peer].is_ours for row in rows) else 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bench/speed.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", type=int, default=10_000, help="memories to load (default 10000)")
    parser.add_argument(
        "--spaces", type=int, default=20, help="users; the share of rank r is 1/r (default 20)"
    )
    parser.add_argument(
        "--peers", type=_peers, default=list(PEERS), help="comma-separated, of: " + ", ".join(PEERS)
    )
    parser.add_argument(
        "--rounds", type=int, default=3, help="rounds in which the stores take turns (default 3)"
    )
    parser.add_argument("--adds", type=int, default=50, help="single adds in a round (default 50)")
    parser.add_argument("--bulk-seconds", type=float, default=300, help="longest loading of one store")
    parser.add_argument("--search-seconds", type=float, default=20, help="longest questioning in a round")
    parser.add_argument("--clients-seconds", type=float, default=5, help="how long eight clients ask")
    parser.add_argument(
        "--sizes", action="store_true", help="show each table's and index's share of our bytes"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything measured there")
    parser.add_argument("--folder", type=Path, help="work there and leave it (default: temporary)")
    parser.add_argument("--width", type=int, default=190, help="columns of the table")
    return parser.parse_args(arguments)


def _peers(text: str) -> list[str]:
    names = text.split(",")
    unknown = [name for name in names if name not in PEERS]
    if unknown:
        raise argparse.ArgumentTypeError(f"unknown: {', '.join(unknown)}")
    return names


def _progress(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
