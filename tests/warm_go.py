"""Compile Go's library once for all tests: `python -m tests.warm_go FOLDER`.

Every confined process has an empty home, so each `go test` in it would compile the library again, for half a minute. The
`go` of `FOLDER/bin` first copies what was compiled here to where that process looks for it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SAMPLES = Path(__file__).with_name("sample_repositories")
WARM = Path(sys.prefix) / "warm-go" / "bin"
"""The folder of this `go`, as the Makefile makes it."""

PROGRAM = """#!/bin/sh
if [ -n "$GOCACHE" ] && [ ! -e "$GOCACHE" ]; then
  mkdir -p "${{GOCACHE%/*}}" && cp -R '{cache}' "$GOCACHE"
fi
exec '{go}' "$@"
"""


def main(folder: Path) -> None:
    """Compile what the Go samples import, and write the program."""
    shutil.rmtree(folder, ignore_errors=True)
    cache, go = folder / "cache", Path(sys.executable).with_name("go")
    # What pipeline/workspace/environment.py sets: another flag is another entry of the cache.
    settings = {"GOFLAGS": "-buildvcs=false", "GOPROXY": "off", "GOTOOLCHAIN": "local", "GOTELEMETRY": "off"}
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": os.environ["PATH"], "HOME": home, "GOCACHE": str(cache), **settings}
        for sample in ("parcels_go", "parcels_nethttp"):
            tree = shutil.copytree(SAMPLES / sample, Path(home) / sample)
            command = [str(go), "test", "-count=1", "./..."]
            subprocess.run(command, cwd=tree, env=environment, check=True, stdout=subprocess.DEVNULL)
    program = folder / "bin" / "go"
    program.parent.mkdir()
    program.write_text(PROGRAM.format(cache=cache, go=go))
    program.chmod(0o755)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
