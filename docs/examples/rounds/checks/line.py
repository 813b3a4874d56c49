"""Check a line of the release notes: one sentence of at most 100 characters that ends with a full stop."""

import json
import sys

line = json.load(sys.stdin)["outputs"]["writer"]["line"]
problems = []
if len(line) > 100:
    problems.append(f"it has {len(line)} characters, and 100 are allowed")
if not line.endswith("."):
    problems.append("it does not end with a full stop")
json.dump({"fits": not problems, "problems": problems}, sys.stdout)
