"""What is vendored and what is a route's pattern: conventions about paths that hold for every language."""

import re

_PARAMETER = re.compile(
    r"\{[^{}]*\}|<[^<>]*>|(?<=/):[A-Za-z_]\w*(?:\{[^{}]*\}|\([^()]*\))?[?*+]?|(?<=/)\*\w*"
)
PARAMETER = "{}"
_PARAMETER_NAME = re.compile(
    r"<(?:[^<>:]+:)?([A-Za-z_]\w*)>|\{([A-Za-z_]\w*)[^{}]*\}|(?<=/)[:*]([A-Za-z_]\w*)"
)
_COPIES = frozenset({"_vendor", "third_party", "thirdparty", "3rdparty", "bower_components"})
_BUNDLE_NAME = re.compile(r"[.-]min\.[cm]?js$|[.-]bundle\.[cm]?js$|\.chunk\.[cm]?js$")
_SCRIPTS = (".js", ".mjs", ".cjs")
_ASSET_FOLDERS = frozenset(
    {"static", "public", "assets", "js", "lib", "libs", "dist", "www", "wwwroot", "resources"}
)


def is_vendored(path: str) -> bool:
    """Whether a file is a copy of somebody else's code, or made from other sources: by where it is and how it is called.

    A folder `vendor` may be about vendors: it counts for Go, whose tools mean copies by it, and for scripts among the files
    that a browser loads.
    """
    *folders, name = path.lower().split("/")
    if _COPIES.intersection(folders) or _BUNDLE_NAME.search(name):
        return True
    if not {"vendor", "vendors"}.intersection(folders):
        return False
    return name.endswith(".go") or (name.endswith(_SCRIPTS) and bool(_ASSET_FOLDERS.intersection(folders)))


def is_url(text: str) -> bool:
    """Whether a text is a whole URL, such as a setting may hold in the place of a path."""
    return "://" in text or text.startswith("data:")


def segments(path: str) -> tuple[str, ...]:
    """The segments of a route's path or of a URL in prose; parameters become `{}`, a query is dropped."""
    plain = path.partition("?")[0].partition("#")[0]
    return tuple(part for part in pattern(f"/{plain}").split("/") if part)


def path_parameters(path: str) -> tuple[str, ...]:
    """The names of the parameters of a route's path: `<int:id>`, `{id}` or `:id`."""
    return tuple("".join(names) for names in _PARAMETER_NAME.findall(path))


def pattern(path: str) -> str:
    """A route's path with its parameters as `{}`."""
    return _PARAMETER.sub(PARAMETER, path)


def matches_pattern(pattern_segments: tuple[str, ...], path_segments: tuple[str, ...]) -> bool:
    """Whether segments match one by one; a parameter matches anything."""
    return len(pattern_segments) == len(path_segments) and all(
        have == want or PARAMETER in have or want == PARAMETER
        for have, want in zip(pattern_segments, path_segments, strict=True)
    )


def escape_path(path: str) -> str:
    """A path on one line, whatever its name holds."""
    return path if path.isprintable() else path.encode("unicode_escape", "backslashreplace").decode("ascii")
