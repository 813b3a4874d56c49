"""The words in which a web framework is described: its routers, how they are mounted, how routes are registered.

A framework is data. The linker follows routers through the code; it knows none of them by name.
"""

from dataclasses import dataclass
from enum import Enum


class Joining(Enum):
    """How a prefix and a path become one."""

    CONCATENATE = "concatenate"
    """Simply one after the other."""
    SLASH = "slash"
    """With exactly one slash between them."""


@dataclass(frozen=True, slots=True)
class ArgumentAt:
    """Where an argument stands: a position, a keyword, or either; `spread`: it and all that follow."""

    position: int | None = None
    keyword: str | None = None
    spread: bool = False


@dataclass(frozen=True, slots=True)
class RouterClass:
    """A class whose instances hold routes.

    `packages` are the top-level packages it comes from. `parent` is where its constructor takes the router that it
    hangs at. `prefix_from_name`: without a prefix, its first argument is the prefix.
    """

    name: str
    packages: frozenset[str]
    is_application: bool = False
    prefix: ArgumentAt | None = None
    parent: ArgumentAt | None = None
    prefix_from_name: bool = False
    joining: Joining = Joining.CONCATENATE


@dataclass(frozen=True, slots=True)
class MountMethod:
    """`parent.method(child, prefix)`; with `child` None the receiver is the child: `child.method(parent)`.

    `replaces`: a prefix given here stands instead of the child's own.
    """

    name: str
    child: ArgumentAt
    prefix: ArgumentAt | None = None
    replaces: bool = False
    receiver_is_child: bool = False


@dataclass(frozen=True, slots=True)
class RouteMethod:
    """`router.method(path, handler)` or `@router.method(path)`.

    `verbs` are the HTTP methods it stands for; with `verbs_at` they are read from there and `verbs` is the default.
    """

    name: str
    path: ArgumentAt
    verbs: tuple[str, ...]
    verbs_at: ArgumentAt | None = None
    handler: ArgumentAt | None = None


@dataclass(frozen=True, slots=True)
class Framework:
    """One web framework.

    `view_classes`: names of classes whose methods `get`, `post` … answer requests. `view_factory` is the method that
    turns such a class into a handler. `parameter_words`: an untyped parameter of one of these names is taken for the
    application.
    """

    name: str
    routers: tuple[RouterClass, ...]
    mounts: tuple[MountMethod, ...]
    routes: tuple[RouteMethod, ...]
    view_factory: str | None = None
    parameter_words: frozenset[str] = frozenset()
