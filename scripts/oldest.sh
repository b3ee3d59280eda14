#!/bin/sh
# Run tests on the oldest Python that model and widgets support, in an environment of its own.
set -eu
cd "$(dirname "$0")/.."
oldest=3.11
if ! "python$oldest" -c '' >/dev/null 2>&1; then
  echo "oldest: Python $oldest is not installed here; model and widgets were tested on .venv's Python only." >&2
  [ -z "${CI:-}" ] # where CI runs, it is a promise
  exit
fi
if [ ! .venv-oldest/.ready -nt requirements.txt ]; then
  "python$oldest" scripts/setup.py python .venv-oldest
fi
exec .venv-oldest/bin/python -m pytest "$@"
