#!/bin/sh
# Resolve requirements*.in and package.json to pinned versions with hashes, for every system and Python from 3.11 on.
# No lock names an index: pip and npm use whichever one the machine is set up with.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build
.venv/bin/python -m venv build/lock
build/lock/bin/python -m pip install --quiet --quiet --disable-pip-version-check uv
for name in requirements requirements-node requirements-audit; do
  echo "lock: $name.in"
  build/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --upgrade \
    --custom-compile-command "make lock" --output-file "$name.txt" "$name.in"
done
echo "lock: package.json"
PATH="$PWD/.venv/bin:$PATH" npm install --package-lock-only --ignore-scripts --loglevel=error
rm -rf build/lock
