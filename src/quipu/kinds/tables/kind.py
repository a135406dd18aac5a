"""What tables hand in to the house."""

from __future__ import annotations

from quipu.kinds.plug import Kind
from quipu.kinds.tables.cite import cite
from quipu.kinds.tables.eraser import TablesEraser

CODE = 6

TABLES = Kind(name="tables", code=CODE, package="quipu.kinds.tables", cite=cite, eraser=TablesEraser())
