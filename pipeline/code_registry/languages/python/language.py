"""Python as the builder sees it."""

from pipeline.code_registry.language import Language
from pipeline.code_registry.languages.python.extractor import extract
from pipeline.code_registry.languages.python.frameworks import FRAMEWORKS
from pipeline.code_registry.languages.python.models import read_models
from pipeline.code_registry.languages.python.modules import module_finder
from pipeline.code_registry.languages.python.settings import read_options, read_settings
from pipeline.code_registry.languages.python.unread_packages import UNREAD_PACKAGES
from pipeline.code_registry.linking.names.words import TypeWords

PYTHON = Language(
    name="python",
    suffixes=(".py", ".pyi"),
    grammar="tree-sitter-python",
    extract=extract,
    module_finder=module_finder,
    words=TypeWords(
        receivers=frozenset({"self", "cls"}),
        transparent=frozenset(
            {"Optional", "Annotated", "Awaitable", "Coroutine", "Final", "Required", "NotRequired"}
        ),
        collections=frozenset(
            {"list", "List", "set", "Set", "frozenset", "FrozenSet", "tuple", "Tuple", "Sequence", "Iterable"}
            | {"Iterator", "AsyncIterator", "AsyncIterable", "Generator", "AsyncGenerator", "Collection"}
        ),
        mappings=frozenset({"dict", "Dict", "Mapping", "MutableMapping", "defaultdict"}),
        class_of=frozenset({"type", "Type"}),
        properties=frozenset({"property", "cached_property"}),
        constructor="__init__",
        entering=("__aenter__", "__enter__"),
        calling="__call__",
        none_names=frozenset({"None"}),
    ),
    frameworks=FRAMEWORKS,
    unread_packages=UNREAD_PACKAGES,
    read_models=read_models,
    read_settings=read_settings,
    read_options=read_options,
    apart=True,
)
