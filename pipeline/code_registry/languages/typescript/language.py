"""TypeScript and JavaScript as the builder sees them."""

from pipeline.code_registry.language import Language
from pipeline.code_registry.languages.typescript.extractor import DEFAULT_EXPORT, extract
from pipeline.code_registry.languages.typescript.frameworks import FRAMEWORKS
from pipeline.code_registry.languages.typescript.models import read_models
from pipeline.code_registry.languages.typescript.modules import CONFIGURATION, SUFFIXES, module_finder
from pipeline.code_registry.languages.typescript.settings import read_options, read_settings
from pipeline.code_registry.languages.typescript.unread_packages import UNREAD_PACKAGES
from pipeline.code_registry.linking.names.words import TypeWords

TYPESCRIPT = Language(
    name="typescript",
    suffixes=SUFFIXES,
    configuration=CONFIGURATION,
    grammar="tree-sitter-typescript",
    extract=extract,
    module_finder=module_finder,
    words=TypeWords(
        receivers=frozenset({"this"}),
        transparent=frozenset(
            {"Annotated", "Promise", "Readonly", "Required", "Partial", "NonNullable", "Awaited"}
        ),
        collections=frozenset({"Array", "ReadonlyArray", "Set", "ReadonlySet", "Iterable", "AsyncIterable"}),
        mappings=frozenset({"Map", "ReadonlyMap", "Record"}),
        class_of=frozenset({"typeof", "Type", "ClassConstructor"}),
        properties=frozenset({"get"}),
        constructor="constructor",
        entering=(),
        calling="<call>",
        none_names=frozenset({"null", "undefined"}),
        default=DEFAULT_EXPORT,
    ),
    frameworks=FRAMEWORKS,
    unread_packages=UNREAD_PACKAGES,
    read_models=read_models,
    read_settings=read_settings,
    read_options=read_options,
)
