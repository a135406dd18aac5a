"""Snapshots of agents' schemas: their routes, all of them derived."""

from __future__ import annotations

from quipu.app.operations import OPERATIONS
from quipu.interfaces.rest.derived import derived
from quipu.interfaces.rest.told.snapshots import SnapshotTold
from quipu.upkeep.snapshots.model import Snapshot

router = derived("snapshots", OPERATIONS, shapes={Snapshot: SnapshotTold})
