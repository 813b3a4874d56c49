"""The words in which a web framework is described: its routers, how they are mounted, how routes are registered.

A framework is data. The linker follows routers through the code; it knows none of them by name.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from pipeline.code_registry.found_fields import RequestFields


class Joining(Enum):
    """How a prefix and a path become one."""

    CONCATENATE = "concatenate"
    """Simply one after the other."""
    SLASH = "slash"
    """With exactly one slash between them."""
    TRIMMED = "trimmed"
    """With exactly one slash between them and none at the end."""


@dataclass(frozen=True, slots=True)
class ArgumentAt:
    """Where an argument stands: a position, a keyword, or either; `spread`: it and all that follow."""

    position: int | None = None
    keyword: str | None = None
    spread: bool = False


@dataclass(frozen=True, slots=True)
class RouterClass:
    """A class whose instances hold routes.

    `packages` are the packages it comes from: top-level ones or whole paths. `must_be_served`: an instance is an application only
    if it is seen to be served; one that is merely made may be mounted anywhere. `parent` is where its constructor takes the router that it
    hangs at. `prefix_from_name`: without a prefix, its first argument is the prefix. `table`: where its constructor takes a
    list of routes, `children`: where it takes routers that hang at it, or handlers that carry their own path. `version`:
    where it takes a version, which stands at the very beginning of a path, as `/v1`; the innermost counts.
    """

    name: str
    packages: frozenset[str]
    is_application: bool = False
    prefix: ArgumentAt | None = None
    parent: ArgumentAt | None = None
    prefix_from_name: bool = False
    must_be_served: bool = False
    joining: Joining = Joining.CONCATENATE
    table: ArgumentAt | None = None
    children: ArgumentAt | None = None
    version: ArgumentAt | None = None


@dataclass(frozen=True, slots=True)
class MountMethod:
    """`parent.method(child, prefix)`; with `child` None the receiver is the child: `child.method(parent)`.

    `replaces`: a prefix given here stands instead of the child's own. `calls_child`: the child is a function, and the
    router is its first parameter. A `child` that is spread: each argument may be one, and a first that is none may be
    the prefix.
    """

    name: str
    child: ArgumentAt
    prefix: ArgumentAt | None = None
    replaces: bool = False
    receiver_is_child: bool = False
    calls_child: bool = False


@dataclass(frozen=True, slots=True)
class GroupMethod:
    """`router.method(prefix)` gives a router below this one; `makes` is the name of its class."""

    name: str
    prefix: ArgumentAt
    makes: str


@dataclass(frozen=True, slots=True)
class FolderMount:
    """What stands as child where every file of a folder is mounted, with the file's folder as prefix.

    `packages`: where it comes from. `prefix` is put before all. `flat`: a key that is false where folders are no
    prefixes. `own_prefix`: the name under which a file exports a prefix of its own. `skip_prefixes`: beginnings of names of
    files that are not mounted.
    """

    packages: frozenset[str]
    folder: ArgumentAt
    prefix: ArgumentAt
    flat: str
    own_prefix: str
    skip_prefixes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileConvention:
    """Routes that follow from where a file stands. `path` gives a file's route below its project, or None.

    `verbs`: the names a file may export and the HTTP method each answers.
    """

    path: Callable[[str], str | None]
    verbs: tuple[tuple[str, str], ...]
    project_file: str


@dataclass(frozen=True, slots=True)
class ControllerStyle:
    """Classes whose decorators carry prefix and version, and whose decorated methods answer requests.

    `global_prefix` and `versioning` are methods of the application, called where it is made.
    """

    decorator: str
    packages: frozenset[str]
    path: ArgumentAt
    version: ArgumentAt
    version_decorator: str
    verbs: tuple[tuple[str, str], ...]
    global_prefix: str
    versioning: str
    by_path: str
    neutral: str
    project_file: str


@dataclass(frozen=True, slots=True)
class SubrouterMethod:
    """`child = parent.method(prefix)`; with `block`, the function that stands there is handed the child."""

    name: str
    prefix: ArgumentAt | None = None
    block: ArgumentAt | None = None


@dataclass(frozen=True, slots=True)
class Chain:
    """Calls on a router that build up one route: `router.PathPrefix("/a").Path("/b").Methods("GET").Handler(h)`."""

    paths: frozenset[str]
    verbs: frozenset[str]
    other_methods: frozenset[str]


@dataclass(frozen=True, slots=True)
class RouteMethod:
    """`router.method(path, handler)` or `@router.method(path)`.

    `verbs` are the HTTP methods it stands for; with `verbs_at` they are read from there and `verbs` is the default.
    `path` None: the router itself, or the chain of calls before it, has the whole path. `verb_in_path`: the path may be
    `"GET host/path"`. `regex`: the path is a regular expression. `below`: where a list of routes stands that hangs below.
    """

    name: str
    path: ArgumentAt | None
    verbs: tuple[str, ...]
    verbs_at: ArgumentAt | None = None
    handler: ArgumentAt | None = None
    verb_in_path: bool = False
    regex: bool = False
    below: ArgumentAt | None = None


@dataclass(frozen=True, slots=True)
class ListedHandlers:
    """Handlers that carry their own path and hang where they are listed: `Router(path="/api", route_handlers=[Orders, health])`.

    `decorators` make a function such a handler: the HTTP methods of each by its name, none where `verbs_at` lists them. `path`:
    where they take their path or paths. `controller` is the class whose subclasses hold such functions, `prefix` the
    attribute that is their path. `part` is what a handler or controller is as a router. `attribute`: the list of an
    application's configuration, which is added to.
    """

    packages: frozenset[str]
    decorators: Mapping[str, tuple[str, ...]]
    path: ArgumentAt
    verbs_at: ArgumentAt
    controller: str
    prefix: str
    part: RouterClass
    attribute: str


@dataclass(frozen=True, slots=True)
class RouteTables:
    """Routes in lists, each row a call of a function of `packages`: `[path("a/", view), path("b/", include(other))]`.

    `includes` are functions that stand for the table they are handed, which may be the dotted name of a file; `unsure`
    are those that put something unknown before it, `identity_functions` those that change nothing. `methods` of a router take a table,
    and its attribute `list_attribute` gives the router's own. A file's table is its `variable`; where the setting `root` names
    the file, it is an application's. `application` and `part` are what such tables are as routers.
    """

    packages: frozenset[str]
    rows: tuple[RouteMethod, ...]
    includes: frozenset[str] = frozenset()
    unsure: frozenset[str] = frozenset()
    identity_functions: frozenset[str] = frozenset()
    methods: tuple[tuple[str, ArgumentAt], ...] = ()
    list_attribute: str | None = None
    variable: str | None = None
    root: str | None = None
    application: RouterClass | None = None
    part: RouterClass | None = None


@dataclass(frozen=True, slots=True)
class ViewStyle:
    """Functions and classes that answer at a row of a table, and the HTTP methods they answer to.

    `factory` turns a class into a view; it may be handed the method that answers each HTTP method. `inherited_verbs`: what
    the methods of outside classes answer to. `decorators`: those that name HTTP methods, with the methods they name
    themselves (none: they are handed a list, and `default` stands where there is no list). `limits` is the attribute of
    a class that lists the methods it allows. `packages` are those the decorators come from.
    """

    factory: str
    packages: frozenset[str]
    inherited_verbs: Mapping[str, tuple[str, ...]]
    decorators: Mapping[str, tuple[str, ...]]
    limits: str
    default: str = "GET"


@dataclass(frozen=True, slots=True)
class ViewsetStyle:
    """Classes that are registered under a prefix and answer by convention.

    `collection_methods` and `item_methods` are methods, with the HTTP method they answer, below the prefix and below the prefix and a key.
    `inherited_methods`: which of them an outside class brings. `actions` are decorators of further methods, each with the value
    of `single_at` it stands for; `verbs_at` and `path_at` say what they answer, `mapping` gives a method's path further
    verbs. `key` and `key_name` are attributes of the class that name the key. `root_routers`: routers that answer at their
    own prefix. `slash`: the argument of a router that is false where paths do not end in a slash.
    """

    packages: frozenset[str]
    collection_methods: tuple[tuple[str, str], ...]
    item_methods: tuple[tuple[str, str], ...]
    inherited_methods: Mapping[str, tuple[str, ...]]
    actions: Mapping[str, bool | None]
    single_at: ArgumentAt
    verbs_at: ArgumentAt
    path_at: ArgumentAt
    mapping: str
    key: tuple[str, ...]
    default_key: str
    limits: str
    root_routers: frozenset[str]
    slash: ArgumentAt


@dataclass(frozen=True, slots=True)
class WebPackage:
    """A package whose import says that a web framework is in use.

    `framework` is its name. `broad`: the package is imported for other things, too, so that an import alone says nothing.
    """

    package: str
    framework: str
    broad: bool = False


@dataclass(frozen=True, slots=True)
class Framework:
    """One web framework.

    `imported_as` are the packages by whose import it is known; those in `imported_for_more` are imported for other things,
    too. `view_factory` is the method that
    turns such a class into a handler. `parameter_words`: an untyped parameter of one of these names is taken for the
    application. `fluent`: registrations and mounts give the router back, and so do the methods `chained_methods`.
    `identity_methods` are methods that give the router back. `package_router`: functions of the router's package register
    at a router of its own. `strips` are functions `strip(prefix, handler)` whose handler sees paths without the prefix.
    `serves` are functions that start to answer with a handler, and where it stands. `contexts` are types of parameters by
    which a function that answers requests is known; `answering` is the method by which a value answers. `self_attributes` are
    attributes of a router that stand for the router. `method_attribute`: where a handler that answers every method finds the
    request's. `hosts` are the frameworks in whose applications its routes stand. `read_request` gives the fields of a route's request, by a
    `linking.values.tracing.Tracer` and the route: without it, they are unknown.
    """

    name: str
    routers: tuple[RouterClass, ...]
    mounts: tuple[MountMethod, ...]
    routes: tuple[RouteMethod, ...]
    imported_as: tuple[str, ...] = ()
    imported_for_more: tuple[str, ...] = ()
    view_factory: str | None = None
    parameter_words: frozenset[str] = frozenset()
    fluent: bool = False
    chained_methods: frozenset[str] = frozenset()
    groups: tuple[GroupMethod, ...] = ()
    folders: tuple[FolderMount, ...] = ()
    files: FileConvention | None = None
    controllers: ControllerStyle | None = None
    subrouters: tuple[SubrouterMethod, ...] = ()
    identity_methods: frozenset[str] = frozenset()
    chain: Chain | None = None
    package_router: RouterClass | None = None
    strips: frozenset[str] = frozenset()
    serves: tuple[tuple[str, ArgumentAt], ...] = ()
    contexts: frozenset[str] = frozenset()
    answering: str | None = None
    self_attributes: frozenset[str] = frozenset()
    method_attribute: str | None = None
    tables: RouteTables | None = None
    handler_lists: ListedHandlers | None = None
    views: ViewStyle | None = None
    viewsets: ViewsetStyle | None = None
    hosts: frozenset[str] = frozenset()
    read_request: Callable[..., RequestFields] | None = None

    @property
    def web_packages(self) -> tuple[WebPackage, ...]:
        """The packages by whose import it is known."""
        return (
            *(WebPackage(package, self.name) for package in self.imported_as),
            *(WebPackage(package, self.name, broad=True) for package in self.imported_for_more),
        )
