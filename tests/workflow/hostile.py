"""Files with which a repository could try to decide which code the Action runs, and a way to see whether it did."""

from pathlib import Path

MODULES = (
    *("anthropic", "click", "github", "json", "pathlib", "pip", "pydantic", "sitecustomize", "usercustomize"),
    *("pipeline/__init__", "pipeline/cli", "pipeline/commands/run", "github_app/__init__"),
)

SETTINGS = {
    ".env": "ANTHROPIC_API_KEY=sk-from-the-checkout\nASKFIRST_DEFINITION=build\nPYTHONPATH=.\n",
    ".python-version": "2.7.18\n",
    "pip.conf": "[global]\nno-index = true\nrequire-virtualenv = true\n",
    "pyproject.toml": '[build-system]\nrequires = ["no-such-build-tool"]\nbuild-backend = "no_such_build_tool"\n\n'
    '[project]\nname = "askfirst"\nversion = "99"\n',
    "setup.cfg": "[install]\nprefix = /nowhere\n",
    "setup.py": "raise SystemExit('the checkout decides which code runs')\n",
    "requirements.txt": "no-such-package\n",
}


def plant(repository: Path, canary: Path) -> None:
    """Add all of them. Each module leaves its name in the canary file if anything imports it."""
    for module in MODULES:
        path = repository / f"{module}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"with open({str(canary)!r}, 'a') as canary:\n    canary.write({module!r} + '\\n')\n")
    for name, content in SETTINGS.items():
        (repository / name).write_text(content)


def job_environment() -> str:
    """Workflow text that gives every step a Python path of the user's project, as many workflows do."""
    variables = {
        "PYTHONPATH": "${{ github.workspace }}",
        "PYTHONSTARTUP": "${{ github.workspace }}/sitecustomize.py",
        "VIRTUAL_ENV": "${{ github.workspace }}",
    }
    return "env:\n" + "".join(f"  {name}: {value}\n" for name, value in variables.items())
