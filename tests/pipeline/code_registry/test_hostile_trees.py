"""Trees that somebody made to hurt: every file is read or skipped with a reason, nothing outside is touched."""

import os
import subprocess
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from pipeline.code_registry import builder
from pipeline.code_registry.all_languages import language_of
from pipeline.code_registry.entries import Confidence
from pipeline.code_registry.facts import StringLiteral
from pipeline.code_registry.languages.python.extractor import extract
from pipeline.code_registry.paths import is_vendored
from pipeline.code_registry.reading import WORTH_TWO_PROCESSES
from pipeline.code_registry.rows import from_bytes, to_bytes
from pipeline.code_registry.store import IndexStore
from pipeline.domain.errors import RepositoryUnreadable
from tests.pipeline.trusted_sources import build_registry


def test_files_that_are_no_source_are_skipped_and_the_rest_is_read(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("def secret(): ...\n")
    root = tmp_path / "tree"
    root.mkdir()
    (root / "good.py").write_text("def good(): ...\n")
    (root / "link.py").symlink_to(outside / "secret.py")
    (root / "folder").symlink_to(outside)
    (root / "big.py").write_bytes(b"x = 1\n" * 200_000)
    (root / "binary.py").write_bytes(b"def f(): ...\n\0\0\0")
    (root / "minified.py").write_text("x=1;" * 5000)
    (root / "deep.py").write_text("x = " + "(\n" * 3000 + ")\n" * 3000)
    (root / "nested.py").write_text(
        "\n".join(" " * depth + "if x:" for depth in range(300)) + "\n" + " " * 300 + "f()"
    )
    (root / "latin.py").write_bytes("def gr\u00fc\u00dfe(): ...\n".encode("latin-1"))
    (root / "broken.py").write_text("def (:\n  class\ndef fine(): ...\n")
    (root / "two\nlines.py").write_bytes(b"\0")
    os.mkfifo(root / "pipe.py")
    registry = build_registry(root, cache=None)
    assert {skip.path: skip.reason for skip in registry.report.skipped} == snapshot(
        {
            "big.py": "1200000 bytes, more than 1000000",
            "binary.py": "binary",
            "deep.py": "nested too deep to be written by a person",
            "link.py": "a link",
            "minified.py": "lines too long for source that a person wrote",
            "nested.py": "nested too deep to be written by a person",
            "pipe.py": "not a regular file",
            "two\\nlines.py": "binary",
        }
    )
    assert registry.symbols_named("secret") == ()
    assert registry.symbols_named("good")
    assert registry.symbols_named("fine")


@pytest.mark.parametrize(
    ("name", "opening", "closing"),
    [
        ("descriptor.go", "package main\n\nvar text = ", ""),
        ("text.ts", "const text = ", ";"),
        ("text.py", "text = (", ")"),
    ],
)
def test_a_text_of_a_thousand_pieces_is_long_and_not_deep(name: str, opening: str, closing: str) -> None:
    pieces = [f"line {number}, " for number in range(1000)]
    language = language_of(name)
    assert language is not None
    source = opening + " +\n\t".join(f'"{piece}"' for piece in pieces) + f"{closing}\n"
    [assignment] = language.extract(source.encode()).assignments
    assert assignment.value == StringLiteral("".join(pieces))


@pytest.mark.process
def test_two_processes_read_a_big_tree_as_one_does(tmp_path: Path) -> None:
    for number in range(WORTH_TWO_PROCESSES):
        (tmp_path / f"file{number:03}.py").write_text(f"def f{number}(): ...\n")
    (tmp_path / "deep.py").write_text("x = " + "(\n" * 3000 + ")\n" * 3000)
    registry = builder.build_registry(tmp_path, cache=None)
    assert {symbol.name for symbol in registry.symbols} == {f"f{n}" for n in range(WORTH_TWO_PROCESSES)}
    assert [skip.path for skip in registry.report.skipped] == ["deep.py"]


def test_names_and_characters_that_are_no_text_cost_nothing_else(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.py")).write_text("def unnamed(): ...\n")
    (tmp_path / "half.py").write_text('HALF = "\\ud83d"\ndef half(): ...\n')
    (tmp_path / "half.ts").write_text('export const half = "\\ud83d";\n')
    cache = IndexStore(tmp_path / "cache" / "registry.sqlite")
    for registry in (build_registry(tmp_path, cache=cache), build_registry(tmp_path, cache=cache)):
        assert [symbol.id for symbol in registry.symbols] == snapshot(
            ["symbol:half.py::HALF", "symbol:half.py::half", "symbol:half.ts::half"]
        )
        assert [(skip.path, skip.reason) for skip in registry.report.skipped] == snapshot(
            [("caf\\udce9.py", "a name that is no text")]
        )


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("A = Optional[B]\nB = Optional[A]\ndef f(x: A): x.y()\n", id="aliases in a circle"),
        pytest.param(
            "\n".join(f"A{n} = Optional[A{n + 1}]" for n in range(2000)) + "\ndef f(x: A0): x.y()\n",
            id="aliases in a row",
        ),
        pytest.param(
            "\n".join(f"a{n} = a{n + 1}" for n in range(3000)) + "\na0()\ndef f(): ...\n", id="names"
        ),
        pytest.param("\n".join(f"def f{n}(): return f{n + 1}()" for n in range(2000)), id="results"),
        pytest.param(
            "class A0: ...\n" + "\n".join(f"class A{n + 1}(A{n}): ..." for n in range(500)), id="bases"
        ),
    ],
)
def test_what_leads_on_and_on_is_unknown_and_ends(tmp_path: Path, source: str) -> None:
    (tmp_path / "a.py").write_text(source)
    assert build_registry(tmp_path, cache=None).symbols


def test_a_struct_tag_without_end_is_read_in_one_pass(tmp_path: Path) -> None:
    (tmp_path / "a.go").write_text(
        "package a\ntype A struct {\n\tB string `" + f"{'x' * 190}\n" * 500 + "`\n}\n"
    )
    (tmp_path / "b.go").write_text(
        "package a\ntype C struct {\n\tD string `" + "x" * 150_000 + "\n" * 1_000 + "`\n}\n"
    )
    started = process_time()
    assert [symbol.name for symbol in build_registry(tmp_path, cache=None).symbols] == ["A", "C"]
    assert process_time() - started < 5


def test_mounts_without_end_are_an_unknown_prefix(tmp_path: Path) -> None:
    count = 1500
    (tmp_path / "app.py").write_text(
        "from flask import Blueprint, Flask\napp = Flask(__name__)\n"
        + "".join(f'b{n} = Blueprint("b{n}", __name__, url_prefix="/{n}")\n' for n in range(count))
        + "app.register_blueprint(b0)\n"
        + "".join(f"b{n}.register_blueprint(b{n + 1})\n" for n in range(count - 1))
        + f'@b{count - 1}.route("/x")\ndef x(): ...\n'
    )
    (route,) = build_registry(tmp_path, cache=None).routes
    assert (route.dynamic_prefix, route.confidence) == (True, Confidence.UNMOUNTED)


def test_a_tracked_folder_that_became_a_link_is_not_followed(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    (root / "pkg").mkdir(parents=True)
    (root / "pkg" / "a.py").write_text("def inside(): ...\n")
    for arguments in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *arguments], cwd=root, check=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.py").write_text("def secret(): ...\n")
    (root / "pkg" / "a.py").unlink()
    (root / "pkg").rmdir()
    (root / "pkg").symlink_to(tmp_path / "outside")
    registry = build_registry(root, cache=None)
    assert registry.symbols_named("secret") == ()


def test_git_says_what_is_ignored_and_what_has_changed(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    (root / ".gitignore").write_text("generated.py\n")
    (root / "kept.py").write_text("def before(): ...\n")
    (root / "gone.py").write_text("def gone(): ...\n")
    for arguments in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *arguments], cwd=root, check=True)
    (root / "kept.py").write_text("def after(): ...\n")
    (root / "gone.py").unlink()
    (root / "generated.py").write_text("def generated(): ...\n")
    (root / "untracked.py").write_text("def untracked(): ...\n")
    registry = build_registry(root, cache=None)
    assert sorted(symbol.name for symbol in registry.symbols) == ["after", "untracked"]


def test_a_hook_in_the_configuration_of_the_repository_is_not_run(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    (root / "a.py").write_text("def a(): ...\n")
    hook = tmp_path / "hook"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    hook.chmod(0o755)
    for arguments in (["init", "-q"], ["add", "."], ["config", "core.fsmonitor", str(hook)]):
        subprocess.run(["git", *arguments], cwd=root, check=True)
    assert build_registry(root, cache=None).symbols_named("a")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("missing", ["nothing", "file.txt"])
def test_what_is_not_a_directory_is_unreadable(tmp_path: Path, missing: str) -> None:
    (tmp_path / "file.txt").write_text("")
    with pytest.raises(RepositoryUnreadable):
        build_registry(tmp_path / missing, cache=None)


_PIECES = st.sampled_from(
    [
        "def f(a, *b: int, **c):\n",
        "    return x\n",
        "class A(B[int]):\n",
        "    x: int = 1\n",
        "@app.get('/x')\n",
        "if x:\n\n    ",
        "x = (y := f(a, *b, k=1))\n",
        "from . import (a as b, c)\n",
        "import a.b as c, d\n",
        "with a as (b, c), d:\n",
        "match x:\n\n    ",
        "f'{a!r:>{b}}' 'c'\n",
        "[x for x in y if z for w in x]\n",
        "lambda *a, b=1: a\n",
        "    case A(b=1):\n",
        "async ",
        "await ",
        "\n\n    ",
        '"""',
        *"\\\t()[]{}:'\x0cé*,",
    ]
)


@given(st.lists(_PIECES, max_size=40).map("".join) | st.binary(max_size=200))
def test_any_bytes_are_read_and_kept_without_loss(source: str | bytes) -> None:
    facts = extract(source.encode() if isinstance(source, str) else source)
    assert from_bytes(to_bytes(facts), type(facts)) == facts


@pytest.mark.parametrize(
    ("path", "left_out"),
    [
        ("static/vendor/jquery.js", True),
        ("app/assets/js/app.min.js", True),
        ("pip/_vendor/requests/api.py", True),
        ("vendor/github.com/pkg/errors/errors.go", True),
        ("apps/vendor/models.py", False),
        ("src/vendors/service.ts", False),
        ("src/admin.js", False),
    ],
)
def test_copies_of_other_code_are_left_out_and_a_domain_called_vendor_is_not(
    path: str, left_out: bool
) -> None:
    assert is_vendored(path) is left_out


def test_bundles_are_left_out_and_counted(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    (root / "static" / "vendor").mkdir(parents=True)
    (root / "static" / "vendor" / "chart.js").write_text("function chart() {}\n")
    (root / "static" / "app.js").write_text("/******/ (() => { // webpackBootstrap\nfunction inner() {}\n")
    (root / "main.js").write_text("function main() {}\n")
    registry = build_registry(root, cache=None)
    assert [symbol.name for symbol in registry.symbols] == ["main"]
    assert [(skip.path, skip.reason) for skip in registry.report.skipped] == [
        ("static/app.js", "a bundle of other sources")
    ]
    assert "copies of other people's code and bundles were left out: 1 files" in registry.report.notes


def test_an_import_with_a_syntax_error_inside_costs_no_more_than_itself() -> None:
    facts = extract(
        b"from orders import total ( as sum\nfrom orders import count as number\ndef fine(): ...\n"
    )
    assert facts.definitions[-1].name == "fine"
    assert extract(b"from a import b ,1 2 as c\nimport d $ as e\n").definitions[0].kind == "module"
