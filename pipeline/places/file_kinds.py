"""What kind of file a path is, by the conventions of many languages: a weight for the ranking, never a filter."""

from enum import IntEnum

from pipeline.domain.testing_paths import is_test_path


class FileKind(IntEnum):
    """The kinds, as the model knows them: never renumber."""

    SOURCE = 0
    TEST = 1
    DOCUMENTATION = 2
    CONFIGURATION = 3
    TEMPLATE = 4
    STYLE = 5
    TRANSLATION = 6
    MIGRATION = 7
    EXAMPLE = 8
    WORKFLOW = 9


_FOLDERS: dict[FileKind, frozenset[str]] = {
    FileKind.WORKFLOW: frozenset({".github", ".circleci", ".gitlab", ".azure"}),
    FileKind.MIGRATION: frozenset({"migrations", "migrate", "alembic"}),
    FileKind.TRANSLATION: frozenset(
        {"locales", "locale", "i18n", "lang", "langs", "translations", "l10n", "_locales"}
    ),
    FileKind.EXAMPLE: frozenset(
        {"examples", "example", "samples", "demo", "demos", "playground", "benchmarks", "bench"}
    ),
    FileKind.DOCUMENTATION: frozenset({"docs", "doc", "documentation", "website"}),
}
_ENDINGS: dict[FileKind, frozenset[str]] = {
    FileKind.DOCUMENTATION: frozenset("md mdx rst txt adoc org".split()),
    FileKind.CONFIGURATION: frozenset(
        "json yml yaml toml ini cfg conf properties env xml editorconfig gitignore dockerignore lock csproj sln props"
        " gradle gemspec mod tf hcl nix".split()
    ),
    FileKind.TEMPLATE: frozenset(
        "html htm erb haml slim hbs ejs njk jinja jinja2 j2 twig liquid tmpl gohtml cshtml jsp".split()
    ),
    FileKind.STYLE: frozenset("css scss sass less styl".split()),
    FileKind.TRANSLATION: frozenset("po pot ftl strings resx xliff".split()),
}
_KIND_OF = {ending: kind for kind, endings in _ENDINGS.items() for ending in endings}


def file_kind(path: str) -> FileKind:
    """The kind of the file at a path."""
    *folders, name = path.split("/")
    lower_folders = [folder.lower() for folder in folders]
    if lower_folders[:1] and lower_folders[0] in _FOLDERS[FileKind.WORKFLOW]:
        return FileKind.WORKFLOW
    if is_test_path(path):
        return FileKind.TEST
    for kind, folder_names in _FOLDERS.items():
        if not folder_names.isdisjoint(lower_folders):
            return kind
    return (
        _KIND_OF.get(name.rsplit(".", 1)[-1].lower(), FileKind.SOURCE)
        if "." in name
        else FileKind.CONFIGURATION
    )
