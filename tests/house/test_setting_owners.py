"""Each setting belongs to who uses it: the kernel's to what all share, and a kind's to the kind."""

from __future__ import annotations

import ast
import re

from tree import modules, syntax

from quipu.app.kinds import KINDS
from quipu.kernel.config import described

CONFIG = "/src/quipu/kernel/config.py"
ABOVE = ("/src/quipu/kinds/", "/src/quipu/interfaces/", "/src/quipu/sync.py")


def kinds() -> set[str]:
    """Return the name and the package of every kind, in the singular."""
    words = {kind.name for kind in KINDS} | {kind.package.rsplit(".", 1)[1] for kind in KINDS}
    return {word.rstrip("s") for word in words - {"message", "record"}}


def test_the_kernel_declares_no_setting_of_a_kind() -> None:
    assert not described().keys() & {setting.name for kind in KINDS for setting in kind.settings}


def test_the_kernel_s_settings_name_no_kind() -> None:
    (config,) = (path for path in modules() if path.as_posix().endswith(CONFIG))
    names = {
        name
        for node in ast.walk(syntax(config))
        for name in (getattr(node, "id", None), getattr(node, "attr", None), getattr(node, "module", None))
        if isinstance(name, str)
    }
    forbidden = re.compile("|".join(kinds()))
    assert [name for name in sorted(names) if forbidden.search(name.lower())] == []


def test_every_setting_of_the_kernel_is_used_below_the_kinds() -> None:
    below = [path for path in modules() if not any(part in path.as_posix() for part in (*ABOVE, CONFIG))]
    read = {
        node.attr for path in below for node in ast.walk(syntax(path)) if isinstance(node, ast.Attribute)
    } | {
        node.value
        for path in below
        for node in ast.walk(syntax(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert described().keys() <= read
