"""The templates, and what they may call."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, cast

from jinja2 import Environment, PackageLoader, StrictUndefined

from quipu.interfaces.web import files, plots, wording

Names = dict[str, Any]
_FILTERS: Final = (
    wording.number,
    wording.size,
    wording.moment,
    wording.day,
    wording.ago,
    wording.counted,
    wording.told,
)


@cache
def environment() -> Environment:
    """Return the one environment: values in a page are escaped, and a missing one is an error."""
    made = Environment(
        loader=PackageLoader("quipu.interfaces.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters, names = cast("Names", made.filters), cast("Names", made.globals)
    filters.update({one.__name__: one for one in _FILTERS})
    names.update({"static": files.address, "plots": plots})
    return made
