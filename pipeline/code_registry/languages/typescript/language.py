"""TypeScript and JavaScript as the builder sees them."""

from functools import cache
from importlib.metadata import version

from pipeline.code_registry.code_version import code_version
from pipeline.code_registry.language import Language
from pipeline.code_registry.languages.typescript.extractor import DEFAULT_EXPORT, extract
from pipeline.code_registry.languages.typescript.frameworks import FRAMEWORKS
from pipeline.code_registry.languages.typescript.models import read_models
from pipeline.code_registry.languages.typescript.modules import CONFIGURATION, SUFFIXES, module_finder
from pipeline.code_registry.languages.typescript.settings import read_options, read_settings
from pipeline.code_registry.languages.typescript.unread_packages import UNREAD_PACKAGES
from pipeline.code_registry.linking.words import TypeWords

_EXTRACTION = ("extractor", "definitions", "expressions", "parsing", "syntax")
"""The files whose change makes stored facts useless."""


@cache
def _version() -> str:
    room = "languages/typescript"
    extractor = code_version(
        *(f"{room}/{part}.py" for part in _EXTRACTION), "facts.py", "parsing.py", "rows.py", "unfit_file.py"
    )
    return f"typescript-{extractor}-{version('tree-sitter-typescript')}"


TYPESCRIPT = Language(
    name="typescript",
    suffixes=SUFFIXES,
    configuration=CONFIGURATION,
    version=_version,
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
