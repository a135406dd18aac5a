"""REST: one small file for each kind of memory.

A new kind's router, ``interfaces/rest/ledger.py``:

1. ``router = room("ledger")`` (``door.py``): its routes are under ``/v1/ledger``, with the problems of all.
2. A request body is a class on ``Asked`` (``models.py``), with examples in its fields; what several kinds ask
   for in the same words is in ``asking.py``. An answer is a class on ``Told`` in ``told/ledger.py``; it reads
   our dataclasses: ``FactTold.model_validate(fact)``. Names of both are unlike those of all other kinds.
3. A route is ``async def``, has a ``summary=`` and a docstring, takes ``here: Reading``, ``Writing`` or
   ``Administering`` (or ``engine: OwningAll`` where it is about the whole database) and calls one method:
   ``await here.memory.ledger.state(space=here.space, …)``. Errors of ours become problem documents.
4. What answers 404 or 409 says so: ``responses=refused(_404="There is no such fact.")``.
5. Names and ids that callers chose may hold any character: they go into the query or the body, not the path.
6. Lists are pages (``pages.py``), versions are ETags (``versions.py``); what destroys is ``Administering``
   and is shown with a token first (``showing.py``; ``erase`` in ``condensing.py`` shows how).
7. Add the router to ``ROUTERS`` in ``routes.py``: one import, one word. Tests over the route table
   (``table.py``) cover it; ``tools/dump_rest.py`` writes it into the reference.
"""
