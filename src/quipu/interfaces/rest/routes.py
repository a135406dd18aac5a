"""The routers of all kinds, which the server mounts under ``/v1``."""

from __future__ import annotations

from quipu.interfaces.rest import house, imports, keys, recall, record

ROUTERS = (record.router, imports.router, recall.router, keys.router, house.router)
