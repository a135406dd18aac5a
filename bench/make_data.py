"""Write bench/data: the conversations of our own kinds, the same on every run.

python bench/make_data.py            write the files
python bench/make_data.py --check    say whether they are as this program makes them
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from generate import histories, worlds
from quality.own import DATA


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = argparse.ArgumentParser(prog="bench/make_data.py", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args(arguments).check
    stale: list[str] = []
    files = [worlds.make(world) for world in worlds.worlds()]
    files += [histories.make(history) for history in histories.histories()]
    for made in files:
        path = DATA / f"{made['name']}.json"
        text = json.dumps(made, ensure_ascii=False, indent=0) + "\n"
        if check and (not path.exists() or path.read_text(encoding="utf-8") != text):
            stale.append(path.name)
        elif not check:
            path.write_text(text, encoding="utf-8")
            print(f"{path.name}: {len(made['messages'])} messages, {len(made['questions'])} questions")
    if stale:
        print(f"Not as made by this program: {', '.join(stale)}", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
