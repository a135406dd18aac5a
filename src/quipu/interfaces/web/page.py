"""Routers of pages."""

from __future__ import annotations

from fastapi import APIRouter


def page_router() -> APIRouter:
    """Return a router for pages; they are no part of the REST description."""
    return APIRouter(include_in_schema=False)
