"""Derive the REST routes of a room from the declarations of its operations.

What a signature says is enough for most of a route: ``space`` comes from the key or the query (where the
owner of everything asks, it is a parameter as others are),
``expected_version`` from ``If-Match``; a list that takes ``limit`` and ``after`` or ``offset`` is told in
pages, from its end back where it takes ``before`` as well; ``confirm`` becomes a preview with a token, which
an answer that tells itself whether it is ``undone`` bears only where it is; an answer that has a ``version``
which its room can expect bears it as its ``ETag``.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from functools import cache
from inspect import Parameter as Place
from inspect import Signature
from typing import Annotated, Any, Final, Protocol, cast, get_type_hints

from fastapi import APIRouter, Body, Depends, Header, Path, Query, Response
from pydantic import BaseModel, Field, create_model

from quipu.app.operations import Operation
from quipu.errors import BadInput, Conflict, Outdated
from quipu.interfaces.declarations import declared, members
from quipu.interfaces.rest.derived_fields import attribute, field, from_query, in_query, plain
from quipu.interfaces.rest.door import Administering, Here, OwningAll, Reading, Writing, refused, room
from quipu.interfaces.rest.models import Acting, Answer, Confirmable, Items, RequestBody, shown_first
from quipu.interfaces.rest.pages import Page, Paging
from quipu.interfaces.serving.confirmation import unless_lossy

_DOORS: Final = {"read": Reading, "write": Writing, "admin": Administering, "owner": OwningAll}
_PAGED: Final = ("limit", "after", "offset")
_HERE, _PAGE, _RESPONSE, _BODY = "here_", "page_", "response_", "body_"
_PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")
_BARE: Final = (int, str)
_UNLESS: Final = "\n\nWhat takes something away is done once the token that came with it is sent back."
_WHEN: Final = {"NotFound": 404, "Conflict": 409, "LanguageFailed": 502}

Call = Callable[..., Awaitable[Any]]


_TAG: Final = re.compile(r'(?:W/)?"(\d{1,18})"\Z', re.ASCII)


def etag(version: int) -> str:
    """Return the version as a header."""
    return f'"{version}"'


def expected_version(
    if_match: Annotated[
        str | None, Header(description='The `ETag` that was read, such as `"3"`: 412 if it changed since.')
    ] = None,
) -> int | None:
    """Return the version that a writer read; None if they take whatever is there.

    Raises:
        BadInput: the header is no version of ours.
    """
    if if_match is None or if_match.strip() == "*":
        return None
    match = _TAG.match(if_match.strip())
    if match is None:
        raise BadInput('a version looks like "3".', field="If-Match", hint="Send the ETag that you read.")
    return int(match[1])


ExpectedVersion = Annotated[int | None, Depends(expected_version)]


@contextmanager
def matching(expected: int | None) -> Generator[None]:
    """Raise a conflict in the block as ``Outdated`` if a version was expected."""
    try:
        yield
    except Conflict as error:
        if expected is None:
            raise
        raise Outdated(
            hint=error.hint or "Read it again, and decide what to do with both changes."
        ) from error


class Shape(Protocol):
    """The class of an answer that is made from a value."""

    def of(self, one: Any, /) -> Any:
        """Return the value as an answer."""
        ...


def derived(
    name: str,
    operations: Iterable[Operation],
    *,
    shapes: Mapping[Any, Shape] | None = None,
    everywhere: bool = False,
) -> APIRouter:
    """Make the router of a room; paths of plain words come before those with an id in their place.

    Without a name it has the methods of the memory itself, which are about its record.
    ``shapes`` are those of values that differ here on purpose from what Python returns. ``everywhere``: these
    are the routes for the owner of everything, about all spaces.
    """
    prefix = f"/engine/{name}" if everywhere else f"/{name}" if name else ""
    router = room(name or "record", prefix=prefix)
    own = [
        (one, route)
        for one in operations
        if one.room == name and (route := one.everywhere if everywhere else one.route) is not None
    ]
    routes = [
        _Route(one, route.replace(f" {prefix}", " ", 1), shapes or {}, owned=everywhere)
        for one, route in sorted(own, key=lambda one: "{" in one[1])
    ]
    tagged = any(one.versioned for one in routes)
    for route in routes:
        route.tagged = tagged and _has(route.declaration.returns, "version")
        route.add(router)
    return router


class _Route:
    """One operation on its way to a route."""

    def __init__(self, operation: Operation, route: str, shapes: Mapping[Any, Shape], *, owned: bool) -> None:
        self.operation = operation
        self.door = OwningAll if owned else _DOORS[operation.level]
        self.owned = owned
        self.declaration = declared(operation)
        self.shape = shapes.get(self.declaration.item or self.declaration.returns)
        self.method, _, self.path = route.partition(" ")
        self.in_path = _PLACEHOLDER.findall(self.path)
        parameters = self.declaration.parameters
        self.versioned = "expected_version" in parameters
        self.tagged = False
        self.confirmed = "confirm" in parameters
        self.tried = self.confirmed and _has(self.declaration.returns, "undone")
        self.paged = self.method == "GET" and self._is_list and bool({"after", "offset"} & parameters.keys())
        self.both_ways = self.paged and {"after", "before"} <= parameters.keys()
        self.in_space = "space" in parameters and self.door is not OwningAll
        elsewhere = {*self.in_path, *(_PAGED if self.paged else ()), "expected_version", "confirm"}
        if self.both_ways:
            elsewhere.remove("after")
        if self.in_space or owned:
            elsewhere.add("space")
        self.rest = [one for name, one in parameters.items() if name not in elsewhere and not one.local]
        self.answer_type = self._answer_type()

    @property
    def _is_list(self) -> bool:
        return self.declaration.item is not None

    def add(self, router: APIRouter) -> None:
        """Add it to a router."""
        declaration = self.declaration
        endpoint = self._endpoint()
        endpoint.__name__ = f"{self.operation.method}_everywhere" if self.owned else self.operation.method
        endpoint.__signature__ = self._signature()  # pyright: ignore[reportFunctionMemberAccess]
        router.add_api_route(
            self.path,
            endpoint,
            methods=[self.method],
            status_code=self.operation.status,
            response_model=self.answer_type,
            summary=f"{declaration.summary} (all spaces)" if self.owned else declaration.summary,
            description=f"{declaration.text or f'{declaration.summary}.'}{_UNLESS if self.tried else ''}",
            responses=refused(**self._refusals()),
        )

    def _refusals(self) -> dict[str, str]:
        refusals = {f"_{_WHEN[name]}": why for name, why in self.declaration.errors.items() if name in _WHEN}
        if self.versioned:
            refusals["_412"] = "It is no longer the version that you read."
        if self.confirmed:
            refusals["_412"] = "What would be done is no longer what was shown."
        return refusals

    def _signature(self) -> Signature:
        """Return the signature that FastAPI reads."""
        places = [_place(_HERE, self.door), _place(_RESPONSE, Response)]
        parameters = self.declaration.parameters
        places += [
            _place(name, Annotated[plain(parameters[name]), Path(), field(parameters[name])])
            for name in self.in_path
        ]
        if self.paged:
            places.append(_place(_PAGE, Paging))
        if self.versioned:
            places.append(_place("expected_version", ExpectedVersion))
        if self.method == "GET":
            places += [
                _place(one.name, Annotated[in_query(one), Query(), field(one)], one.default)
                for one in self.rest
            ]
        elif self.rest or self.confirmed:
            body = self._body()
            needed = any(field.is_required() for field in body.model_fields.values())
            places.append(_place(_BODY, Annotated[body, Body()], Place.empty if needed else body()))
        return Signature(places)

    def _body(self) -> type[BaseModel]:
        """Return the shape of the body: a field for each parameter that stands nowhere else."""
        name = "".join(word.title() for word in re.split(r"[._]", self.operation.name))
        fields: dict[str, Any] = {
            attribute(one.name): (Annotated[plain(one), field(one)], ... if one.required else one.default)
            for one in self.rest
        }
        base = Acting if self.confirmed else RequestBody
        return create_model(name, __base__=base, __doc__=f"{self.declaration.summary}.", **fields)

    def _answer_type(self) -> Any:
        """Return the shape of the answer."""
        item, returns = self.declaration.item, self.declaration.returns
        if self.shape is not None:
            item, returns = (self.shape, returns) if item is not None else (None, self.shape)
        if returns is type(None):
            return None
        if returns in _BARE:
            return _named(self.operation.named, returns)
        if item is not None:
            return Page[item] if self.paged else Items[item]
        if self.tried:
            return _tried(returns)
        return Confirmable[returns] if self.confirmed else returns

    def _endpoint(self) -> Call:
        in_path, rest = self.in_path, self.rest
        reads = self.method == "GET"

        async def endpoint(**parameters: Any) -> Any:
            here = cast("Here", parameters[_HERE])
            values = {one: parameters[one] for one in in_path}
            arguments = parameters if reads else _fields(parameters.get(_BODY))
            values |= {one.name: from_query(one, arguments) if reads else arguments[one.name] for one in rest}
            if self.in_space:
                values["space"] = here.space
            method = self.operation.of(here.memory)

            async def call(**more: Any) -> Any:
                by_place = [
                    values[one.name] for one in self.declaration.parameters.values() if one.positional
                ]
                by_name = {
                    key: value
                    for key, value in values.items()
                    if not self.declaration.parameters[key].positional
                }
                return await method(*by_place, **{**by_name, **more})

            return await self._answer(call, parameters, values)

        return endpoint

    async def _answer(self, call: Call, arguments: dict[str, Any], values: Mapping[str, Any]) -> Any:
        if self.paged:
            return await self._page(call, arguments[_PAGE], values)
        if self.tried:
            return await self._unless_lossy(call, arguments, values)
        if self.confirmed:
            return await self._shown_first(call, _fields(arguments[_BODY])["confirm"], values)
        if self.versioned:
            expected = arguments["expected_version"]
            with matching(expected):
                answer = await call(expected_version=expected)
        else:
            answer = await call()
        if self.declaration.item is not None:
            return Items[Any](items=[self._told(one) for one in answer])
        if self.declaration.returns in _BARE:
            return self.answer_type(**{self.operation.named: answer})
        if self.tagged:
            arguments[_RESPONSE].headers["ETag"] = etag(answer.version)
        return self._told(answer)

    def _told(self, answer: Any) -> Any:
        return answer if self.shape is None else self.shape.of(answer)

    async def _page(self, call: Call, page: Any, values: Mapping[str, Any]) -> Any:
        name = self.operation.name
        if self.both_ways:
            way = "before" if values["after"] is None else "after"
            place = page.behind(name)
            rows = await call(limit=page.limit + 1, **({} if place is None else {way: place}))
            return page.of_rows(name, rows) if way == "after" else page.of_last(name, rows)
        after = self.declaration.parameters.get("after")
        if after is not None:
            behind = page.behind_number(name) if int in members(after.type) else page.behind(name)
            return page.of_rows(name, await call(limit=page.limit + 1, after=behind))
        return page.of_counted(name, await call(limit=page.limit + 1, offset=page.counted(name)))

    async def _shown_first(self, call: Call, token: str | None, values: Mapping[str, Any]) -> Any:
        same = self.operation.same or _itself
        return await shown_first(
            self.operation.name,
            token,
            lambda confirm: call(confirm=confirm),
            tell=self._told,
            counts=lambda answer: {"asked": values, "same": same(answer)},
        )

    async def _unless_lossy(self, call: Call, arguments: dict[str, Any], values: Mapping[str, Any]) -> Any:
        same = self.operation.same or _itself
        asked = {name: value for name, value in values.items() if name != "show_first"}
        done, token = await unless_lossy(
            self.operation.name,
            _fields(arguments[_BODY])["confirm"],
            lambda tried: call(confirm=tried),
            shown=lambda tried: {"asked": asked, "same": same(tried)},
        )
        if token is not None:
            arguments[_RESPONSE].status_code = 200
        return self.answer_type.model_validate(done).model_copy(update={"confirm": token})


@cache
def _named(name: str, type_: type) -> type[BaseModel]:
    """Return the shape of an answer that is a number or a text."""
    fields: dict[str, Any] = {name: (type_, Field(examples=[3 if type_ is int else "s1"]))}
    return create_model(f"The{name.title()}", __base__=Answer, __doc__=f"The {name}.", **fields)


@cache
def _tried(returns: type) -> type[BaseModel]:
    """Return the shape of an answer that tells whether it is undone, with the token that has it done."""
    hints = get_type_hints(returns)
    fields: dict[str, Any] = {one.name: (hints[one.name], ...) for one in dataclasses.fields(returns)}
    token = Field(
        default=None,
        description="Nothing was changed, since something would go: send it back to have it done.",
        examples=[None],
    )
    told = (inspect.getdoc(returns) or "").replace("``", "`")
    return create_model(
        f"{returns.__name__}Answer", __base__=Answer, __doc__=told, **fields, confirm=(str | None, token)
    )


def _itself(answer: Any) -> object:
    return answer


def _place(name: str, annotation: Any, default: Any = Place.empty) -> Place:
    return Place(name, Place.KEYWORD_ONLY, annotation=annotation, default=default)


def _fields(body: BaseModel | None) -> dict[str, Any]:
    fields = {} if body is None else type(body).model_fields
    return {field.alias or name: getattr(body, name) for name, field in fields.items()}


def _has(answer: Any, name: str) -> bool:
    named = dataclasses.fields(answer) if dataclasses.is_dataclass(answer) else ()
    return any(field.name == name for field in named)
