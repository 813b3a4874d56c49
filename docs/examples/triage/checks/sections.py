"""Say which sections of an issue form were filled in. GitHub writes `_No response_` into those that were left empty."""

import json
import re
import sys

body = json.load(sys.stdin)["ticket"]["body"]
parts = re.split(r"^#{2,4} +(.+?) *$", body.replace("\r\n", "\n"), flags=re.MULTILINE)
answers = {heading: text.strip() for heading, text in zip(parts[1::2], parts[2::2], strict=True)}
empty = [heading for heading, text in answers.items() if text in ("", "_No response_")]
json.dump({"filled": [heading for heading in answers if heading not in empty], "empty": empty}, sys.stdout)
