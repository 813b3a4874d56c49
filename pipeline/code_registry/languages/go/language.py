"""Go as the builder sees it."""

from pipeline.code_registry.language import Language
from pipeline.code_registry.languages.go.extractor import extract
from pipeline.code_registry.languages.go.frameworks import FRAMEWORKS
from pipeline.code_registry.languages.go.packages import arrange, module_finder
from pipeline.code_registry.languages.go.settings import read_options, read_settings
from pipeline.code_registry.languages.go.structs import read_models
from pipeline.code_registry.languages.go.unread_packages import UNREAD_PACKAGES
from pipeline.code_registry.linking.names.words import TypeWords

_METHODS = ("Get", "Head", "Post", "Put", "Patch", "Delete", "Connect", "Options", "Trace")


GO = Language(
    name="go",
    suffixes=(".go", ".mod"),
    grammar="tree-sitter-go",
    extract=extract,
    module_finder=module_finder,
    words=TypeWords(
        receivers=frozenset(),
        transparent=frozenset(),
        collections=frozenset({"[]"}),
        mappings=frozenset({"map"}),
        class_of=frozenset(),
        properties=frozenset(),
        constructor="",
        entering=(),
        calling="",
        none_names=frozenset({"nil"}),
        class_scope=False,
        texts={f"net/http.Method{word}": word.upper() for word in _METHODS}
        | {f"github.com/gofiber/fiber.Method{word}": word.upper() for word in _METHODS},
        joins=frozenset({"path.Join"}),
        static_types=True,
        versioned_paths=True,
    ),
    frameworks=FRAMEWORKS,
    unread_packages=UNREAD_PACKAGES,
    read_models=read_models,
    read_settings=read_settings,
    read_options=read_options,
    arrange=arrange,
)
