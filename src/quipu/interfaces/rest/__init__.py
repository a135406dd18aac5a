"""REST: routes derived from the declarations of operations, and those that are shaped by hand.

A room's operations are lines of ``quipu.app.operations``; ``derived("ledger", OPERATIONS)`` in
``routes.py`` makes its routes. Where a route has a shape of its own:

1. ``router = room("evidence")`` (``door.py``): its routes are under ``/v1/evidence``, with the problems of
   all.
2. A request body is a class on ``RequestBody`` (``models.py``), with examples in its fields. An answer is the
   dataclass that the memory returns; where it differs on purpose, a class on ``Answer`` reads it, with a name
   unlike those of all others.
3. A route is ``async def``, has a ``summary=`` and a docstring, takes ``here: Reading``, ``Writing`` or
   ``Administering`` (or ``engine: OwningAll`` where it is about the whole database) and calls one method:
   ``await here.memory.evidence.recommend(space=here.space, …)``. Errors of ours become problem documents.
4. What answers 404 or 409 says so: ``responses=refused(_404="There is no such fact.")``.
5. Names and ids that callers chose may hold any character: they go into the query or the body, not the path.
6. Lists are pages (``pages.py``), versions are ETags (``derived.py``); what destroys is ``Administering``
   and is shown with a token first (``shown_first`` in ``models.py``).
7. Add the router to ``ROUTERS`` in ``routes.py``: one import, one word. Tests over the route table
   (``routes.table``) cover it; ``tools/dump_rest.py`` writes it into the reference.
"""
