"""All pages as one router, for the server to mount."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter

from quipu.interfaces.web import (
    background,
    beliefs,
    config,
    corrections,
    document_forms,
    documents,
    dumps,
    episodes,
    erasure,
    evidence,
    files,
    keys,
    ledger,
    lessons,
    longterm,
    loops,
    overview,
    recall,
    reembed,
    relations,
    settings,
    snapshots,
    spaces,
    tables,
    timeline,
    transcripts,
)

PAGES: Final = (
    files.router,
    overview.router,
    recall.router,
    relations.router,
    timeline.router,
    evidence.router,
    ledger.router,
    lessons.router,
    transcripts.router,
    loops.router,
    beliefs.router,
    corrections.router,
    episodes.router,
    longterm.router,
    documents.router,
    document_forms.router,
    tables.router,
    config.router,
    snapshots.router,
    dumps.router,
    background.router,
    reembed.router,
    settings.router,
    keys.router,
    spaces.router,
    erasure.router,
)
"""One line for each page; the navigation's are in navigation.py."""


def pages() -> APIRouter:
    """Return the router of every page."""
    router = APIRouter()
    for one in PAGES:
        router.routes.extend(one.routes)
    return router
