"""The pages on which people see, search, correct and forget what a memory holds.

A new kind's page:

1. Write ``web/<kind>.py``: ``router = page_router()`` and one function for each page and form. A function
   takes ``page: ShownPage`` (``SentForm`` for a form, which has checked its token), calls one method of
   ``page.memory`` with ``space=page.space``, and ends in ``return page.render("<kind>.html", ...)``.
2. Write ``templates/<kind>.html``: ``{% extends "layout.html" %}``, the blocks ``title`` and ``main``, and
   the macros of ``parts.html`` (fields, pager, empty). Every link is made by ``link(path, ...)``, which adds
   the space; every form that changes something by ``{% call parts.form(action) %}``, which adds the token; a
   wide table stands in ``<div class="scroll" tabindex="0">``.
3. A form changes one thing and ends in ``return page.back(address, news="...")``: the browser is sent on and
   told. What destroys shows first what it would take: ``page.confirm(...)`` posts again with
   ``confirmed=yes``.
4. Errors are not caught: each `QuipuError` is shown as a page with its hint (``page_context.page_of``).
5. Plots come from ``plots.py``: numbers in, SVG out, with a title and a sentence for those who cannot see it.
6. Long lists are read page by page by a key (``after=``), never by an offset; one row more than is shown
   tells whether there is a next page (``fields.slice_of``).
7. It works without JavaScript; ``hx-get`` with ``hx-select`` may only spare a reload of what is there anyway.
8. Add its router to ``PAGES`` in ``pages.py``, and its name and path to ``navigation.py``, from which the
   tests of every page take it.
9. Nothing comes from elsewhere and nothing is written into the page: no script, no style attribute (the
   browser is told to refuse both). Lengths are drawn in SVG.
10. A test in tests/integration/web asks for the page with hostile text in it; tests/browser has its flow.
"""
