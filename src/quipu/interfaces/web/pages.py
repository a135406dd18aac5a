"""All pages as one router, for the server to mount."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter

from quipu.interfaces.web import (
    config,
    dumps,
    erasure,
    files,
    jobs,
    keys,
    overview,
    recall,
    reembedding,
    settings,
    snapshots,
    spaces,
    theme,
)

PAGES: Final = (
    files.router,
    theme.router,
    overview.router,
    recall.router,
    config.router,
    snapshots.router,
    dumps.router,
    jobs.router,
    reembedding.router,
    settings.router,
    keys.router,
    spaces.router,
    erasure.router,
)
"""One line for each page; the navigation's are in navigation.py."""


def pages() -> APIRouter:
    """Every page."""
    router = APIRouter()
    for one in PAGES:
        router.include_router(one)
    return router
