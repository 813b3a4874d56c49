"""What runs on installation is named, and what is new of it waits for an approval: compared by meaning, not by lines."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.contract.change import FileChange
from pipeline.contract.change_check import ChangeVerdict, check_change
from pipeline.contract.install_hooks import check_install_hooks, executed_files, new_hooks
from pipeline.gate.rules import Tier
from pipeline.gate.rules_file import load_gate
from pipeline.gate.tool_names import Tool
from tests.contract.test_change_check import change


def file(path: str, content: bytes | None = b"x") -> FileChange:
    return FileChange(path=path, content=None if content is None else base64.b64encode(content))


def package(**keys: object) -> bytes:
    return json.dumps({"name": "orders", **keys}, indent=2).encode()


PLAIN = package(scripts={"test": "jest"}, dependencies={"left-pad": "1"})
HOOKED = package(scripts={"test": "jest", "postinstall": "node build.js"})


@pytest.mark.parametrize(
    ("name", "before", "after", "hooks"),
    [
        ("package.json", PLAIN, package(scripts={"test": "jest"}, dependencies={"left-pad": "2", "x": "1"}), ()),
        ("package.json", PLAIN, package(scripts={"test": "vitest"}), ()),
        ("package.json", PLAIN, HOOKED, ("postinstall",)),
        ("package.json", None, HOOKED, ("postinstall",)),
        ("package.json", None, PLAIN, ()),
        ("package.json", HOOKED, HOOKED.replace(b"build.js", b"evil.js"), ("postinstall",)),
        ("package.json", HOOKED, json.dumps(json.loads(HOOKED), separators=(",", ":")).encode(), ()),
        ("package.json", HOOKED, PLAIN, ()),
        ("package.json", PLAIN, package(scripts={"prepare": "husky", "preinstall": "x"}), ("preinstall", "prepare")),
        ("package.json", HOOKED, b"{", ("it cannot be read",)),
        ("package.json", HOOKED, b"[" * 100_000, ("it cannot be read",)),
        ("package.json", HOOKED, b'{"scripts": []}', ("it cannot be read",)),
        ("package.json", b"not json", HOOKED, ("postinstall",)),
        ("composer.json", None, b'{"scripts": {"post-install-cmd": ["x"], "test": "y"}}', ("post-install-cmd",)),
        ("pyproject.toml", b'[build-system]\nrequires = ["a"]', b'[build-system]\nrequires = ["a", "b"]', ()),
        (
            "pyproject.toml",
            b'[build-system]\nbuild-backend = "hatchling.build"',
            b'[build-system]\nbuild-backend = "evil"\nbackend-path = ["."]',
            ("build-system.backend-path", "build-system.build-backend"),
        ),
        ("pyproject.toml", None, b"[project]\nname = 'x'", ()),
        ("pyproject.toml", None, b"[tool.hatch.build.hooks.custom]\npath = 'x.py'", ("tool.hatch.build.hooks",)),
        ("pyproject.toml", None, b"[tool.hatch.metadata.hooks.custom]\n", ("tool.hatch.metadata.hooks",)),
        (
            "pyproject.toml", None, b"[tool.hatch.build.targets.wheel.hooks.custom]\n",
            ("tool.hatch.build.targets.wheel.hooks",),
        ),
        ("pyproject.toml", None, b"[tool.pdm.build]\nrun-setuptools = true", ("tool.pdm.build",)),
        ("pyproject.toml", None, b"[tool.pdm.version]\nsource = 'call'", ("tool.pdm.version",)),
        ("pyproject.toml", None, b"[tool.poetry.build]\nscript = 'b.py'", ("tool.poetry.build",)),
        ("pyproject.toml", None, b"[tool.setuptools.cmdclass]\nbuild = 'x.y'", ("tool.setuptools.cmdclass",)),
        ("pyproject.toml", None, b"[build-system]\nrequires = ['a @ git+https://x']", ("a @ git+https://x",)),
        ("pyproject.toml", None, b"[build-system]\nrequires = ['a@file:x']", ("a@file:x",)),
        ("pyproject.toml", None, b"[build-system]\nrequires = 1", ("it cannot be read",)),
        ("pyproject.toml", None, b"tool = 1", ("it cannot be read",)),
        ("cargo.toml", b"[package]\nname = 'x'", b"[package]\nname = 'y'", ()),
        ("cargo.toml", b"[package]\nname = 'x'", b"[package]\nbuild = 'src/b.rs'", ("package.build",)),
    ],
)  # fmt: skip
def test_a_hook_is_new_where_installation_runs_something_else(
    name: str, before: bytes | None, after: bytes, hooks: tuple[str, ...]
) -> None:
    assert new_hooks(name, before, after) == hooks


@given(
    st.binary(max_size=300),
    st.none() | st.binary(max_size=300),
    st.sampled_from(["package.json", "pyproject.toml", "cargo.toml"]),
)
def test_no_manifest_breaks_the_check(after: bytes, before: bytes | None, name: str) -> None:
    new_hooks(name, before, after)


def test_a_changed_hook_waits_for_an_approval_and_a_new_dependency_does_not() -> None:
    def problems(*files: FileChange) -> list[tuple[str | None, ChangeVerdict]]:
        found = check_install_hooks(change(*files), {"web/package.json": PLAIN}.get)
        return [(problem.path, problem.verdict) for problem in found]

    assert problems(file("web/package.json", PLAIN.replace(b"left-pad", b"right-pad"))) == []
    assert problems(file("web/package.json", HOOKED)) == [("web/package.json", ChangeVerdict.CONFIRM)]
    assert problems(file("web/package.json", None), file("src/app.py", b"x")) == []


RUN_BY_A_TOOL = (
    *("setup.py", "Setup.py", "hatch_build.py", "sitecustomize.py", "src/usercustomize.py", "x.pth"),
    *(".pnpmfile.cjs", ".pnpmfile.mjs", ".yarn/releases/yarn-4.cjs", ".pnp.cjs", "binding.gyp"),
    *("crates/a/build.rs", ".cargo/config", "Gemfile", "gems.rb", "orders.gemspec", "extconf.rb", "mix.exs"),
    *("build.gradle", "app/build.gradle.kts", "settings.gradle", "gradlew", "gradlew.bat"),
    *("gradle/wrapper/gradle-wrapper.jar", "mvnw", ".mvn/extensions.xml", ".mvn/jvm.config"),
    ".mvn/wrapper/maven-wrapper.jar",
)
OF_A_BUILD_MACHINE = (
    *(".forgejo/workflows/x.yml", ".gitea/workflows/x.yml", ".woodpecker.yml", ".woodpecker/x.yml"),
    *(
        ".gitlab/ci.yml",
        ".semaphore/semaphore.yml",
        ".cirrus.yml",
        ".cirrus.star",
        ".builds/x.yml",
        ".build.yml",
    ),
    *(".teamcity/settings.kts", ".tekton/x.yaml", "buildspec.yml", "netlify.toml", "vercel.json"),
)
FOR_AGENTS = (
    *("CLAUDE.local.md", "AGENTS.override.md", "AGENT.md", "QWEN.md", "CRUSH.md", "WARP.md"),
    *(
        ".agents/skills/x.md",
        ".aider.conf.yml",
        ".amazonq/rules/x.md",
        ".augment/rules/x.md",
        ".augment-guidelines",
    ),
    *(
        ".clinerules",
        ".clinerules/x.md",
        ".continue/rules/x.md",
        ".factory/x.md",
        ".goosehints",
        ".junie/x.md",
    ),
    *(
        ".kilocode/rules/x.md",
        ".kiro/steering/x.md",
        ".opencode/agent/x.md",
        "opencode.json",
        "opencode.jsonc",
    ),
    *(".openhands/microagents/x.md", ".qwen/settings.json", ".roo/rules/x.md", ".roomodes", ".roorules"),
    *(
        ".rules",
        ".trae/rules/x.md",
        ".windsurf/rules/x.md",
        ".zed/tasks.json",
    ),
)


@pytest.mark.parametrize(
    "path", [*RUN_BY_A_TOOL, *OF_A_BUILD_MACHINE, *FOR_AGENTS, "pnpm-workspace.yaml", ".cargo/config.toml"]
)
def test_what_a_tool_runs_or_obeys_waits_for_an_approval_at_both_borders(path: str) -> None:
    [problem] = check_change(change(file(path, b"x")))
    assert problem.verdict is ChangeVerdict.CONFIRM
    assert load_gate().decide(Tool.CREATE_FILE, {"path": path}).tier is Tier.CONFIRM


@pytest.mark.parametrize(
    "path",
    [
        *RUN_BY_A_TOOL,
        *("setup.cfg", "pyproject.toml", "package.json", "composer.json", "Cargo.toml", "pom.xml"),
        *("jest.config.js", "jest.config.mts", "vitest.config.ts", "web/vite.config.ts", "karma.conf.js"),
        *(
            "playwright.config.ts",
            "cypress.config.js",
            ".mocharc.cjs",
            "babel.config.js",
            "webpack.config.js",
        ),
        *("CMakeLists.txt", "cmake/x.cmake", "meson.build", "SConstruct", "build.zig"),
    ],
)
def test_the_pull_request_names_what_a_tool_runs(path: str) -> None:
    assert [named for named, _ in executed_files(change(file(path, b"x")))] == [path]


def test_what_runs_on_installation_or_in_ci_is_named_with_its_reason() -> None:
    paths = [
        "package.json",
        "tests/conftest.py",
        "Makefile",
        "tox.ini",
        "Dockerfile",
        "web.dockerfile",
        "build.rs",
    ]
    named = executed_files(change(*(file(path) for path in (*paths, "src/app.py", "docs/makefile.md"))))
    assert [path for path, _ in named] == paths
    assert all(why for _, why in named)
    assert executed_files(change(file("Makefile", None))) == ()
