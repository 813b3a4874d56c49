#!/usr/bin/env bash
# Installs askfirst for one job: `install.sh LOCK PROGRAM`, with the interpreter in $INTERPRETER. Sets the output `program`.
# The caller has left the checkout and dropped PYTHON* variables: nothing of a repository decides what is installed.
set -euo pipefail
lock=$1 program=$2
source=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

if ! "$INTERPRETER" -I -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))'; then
  echo "::error title=askfirst::askfirst needs Python 3.11 or newer with venv. Put actions/setup-python before this step, or name another interpreter in the input 'python'."
  exit 1
fi
# One environment per source, lock file and interpreter. A runner that outlives the job finds it again.
key=$(LOCK="$lock" PROGRAM="$program" SOURCE="$source" "$INTERPRETER" -I - <<'PYTHON'
import hashlib, os, pathlib, sys

source, lock = pathlib.Path(os.environ["SOURCE"]), pathlib.Path(os.environ["LOCK"])
digest = hashlib.sha256("\0".join((sys.version, sys.base_prefix, os.environ["PROGRAM"])).encode() + lock.read_bytes())
files = [source / "pyproject.toml", *source.glob("pipeline/**/*"), *source.glob("github_app/**/*")]
for file in sorted(file for file in files if file.is_file() and file.suffix != ".pyc"):
    content = hashlib.sha256(file.read_bytes()).hexdigest()
    digest.update(f"{file.relative_to(source)} {content}\n".encode())
print(digest.hexdigest()[:32])
PYTHON
)
home="${RUNNER_TOOL_CACHE:-$RUNNER_TEMP}/askfirst"
mkdir -p "$home" && test -w "$home" || { home="$RUNNER_TEMP/askfirst"; mkdir -p "$home"; }
if ! test -x "$home/$key/bin/$program"; then
  venv=$(mktemp -d "$home/venv.XXXXXXXX")
  "$INTERPRETER" -I -m venv --without-pip "$venv"
  pip=("$INTERPRETER" -I -m pip)
  if ! "$INTERPRETER" -I -c 'import pip' 2> /dev/null; then
    # Some distributions take pip out of their interpreter and leave it in new environments.
    "$INTERPRETER" -I -m venv "$venv/tools"
    pip=("$venv/tools/bin/python" -I -m pip)
  fi
  pip+=(--disable-pip-version-check --no-input --quiet)
  # uv fetches everything at once. Where it cannot (an index of your own that only pip is configured for), pip does it.
  if ! { "${pip[@]}" install --no-compile --require-hashes --target "$venv/uv" -r "$source/pipeline/install.lock" \
      && "$venv/uv/bin/uv" pip install --quiet --no-config --no-cache --python "$venv/bin/python" --require-hashes -r "$lock"; }; then
    "${pip[@]}" --python "$venv/bin/python" install --no-compile --require-hashes -r "$lock"
  fi
  # Two packages and a script, of which the latter looks nowhere else: what a wheel would install, without building one.
  packages=$("$venv/bin/python" -I -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
  cp -R "$source/pipeline" "$source/github_app" "$packages/"
  case "$program" in askfirst-app) module=github_app.cli ;; *) module=pipeline.cli ;; esac
  printf '#!%s -I\nfrom %s import main\n\nmain()\n' "$venv/bin/python" "$module" > "$venv/bin/$program"
  chmod +x "$venv/bin/$program"
  # Atomic: of two jobs that install at once, one is first, and both use the same.
  ln -sn "$venv" "$home/$key" || test -x "$home/$key/bin/$program"
elif test "${RUNNER_ENVIRONMENT:-}" != github-hosted; then
  echo "Using askfirst as an earlier job left it in $home/$key. Any job of the same user could have altered it."
fi
echo "program=$home/$key/bin/$program" >> "$GITHUB_OUTPUT"
