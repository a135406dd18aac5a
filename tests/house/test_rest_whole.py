"""REST has a route for what a program in Python can do, or it stands here why not."""

from __future__ import annotations

import ast
import re

from tree import PACKAGE

from quipu.app.operations import OPERATIONS, ROOMS

FILES = "it works on files of the machine; that is done there"
CODE = "it takes code of the program"
SERVER = "servers call it by themselves"
NOT_BY_HTTP = {
    "Memory.ready": "it is /ready, beside the doors",
    "Memory.overview": "it is a page",
    "Memory.used_lately": "it is on that page",
    "Memory.space_names": "as Memory.spaces",
    "Erasures.rewrite_freed": "it locks tables; `quipu forget --rewrite` says how much it is and asks",
    "Memory.reembed": "it takes hours; `quipu reembed` shows how far it is",
    "Memory.reembed_plan": "it is the preview of that; `quipu model use` shows it",
    "Memory.work": "workers do it",
    "Snapshots.erase_all": "a space is forgotten with its snapshots, by /v1/forget",
    "Rooms.marks": "whoever has the marks can forge them",
    "Answers.drop_old": SERVER,
    "Keys.opened_by": SERVER,
    "Keys.count": SERVER,
    "Keys.used": SERVER,
    "Ledger.register": CODE,
    "Ledger.on_correction": CODE,
    "MemoryFiles.import_sqlite": FILES,
    "MemoryFiles.export_sqlite": FILES,
    "Exchange.import_sqlite": FILES,
    "Exchange.export_sqlite": FILES,
    "Exchange.migrate_sqlite": FILES,
    "Transcripts.sync": FILES,
    "Transcripts.pending": FILES,
    "Transcripts.follow": FILES,
    "Browse.index_texts": "workers do it",
    "Browse.unindexed": "search and stats tell it",
    "Snapshots.scheduled": "workers do it",
}


def test_every_method_of_a_memory_is_called_by_a_route_or_named_here() -> None:
    doors = "\n".join(
        line
        for path in (PACKAGE / "interfaces" / "rest").glob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if not line.startswith("from ")
    )
    face = ast.parse((PACKAGE / "sync.py").read_text("utf-8"))
    public = {
        f"{made.name}.{method.name}"
        for made in face.body
        if isinstance(made, ast.ClassDef)
        for method in made.body
        if isinstance(method, ast.FunctionDef) and not method.name.startswith("_")
    }
    derived = {one.method for one in OPERATIONS if one.route is not None}
    called = {name for name in public if re.search(rf"\.{name.partition('.')[2]}\b", doors)}
    called |= {name for name in public if name.partition(".")[2] in derived} | {
        f"Rooms.{one}" for one in ROOMS
    }
    assert public - called == NOT_BY_HTTP.keys()
