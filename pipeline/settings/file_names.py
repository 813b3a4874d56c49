"""Where the settings of a repository lie: the folder, and the names in it."""

from pathlib import Path

SETTINGS_FOLDER = Path(".github") / "askfirst"

CONFIGURATION = "config.yml"
DECISIONS = "decisions.yml"
RULES = "gate.yml"
PRICES = "prices.yml"
AGENTS = "agents"
