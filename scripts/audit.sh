#!/bin/sh
# Ask the public registries of known flaws about every pinned package. A package that cannot be looked up is a failure.
# It needs the outside network, so no test calls it: .github/workflows/audit.yml does.
set -eu
cd "$(dirname "$0")/.."
home=build/audit
if [ ! "$home/.ready" -nt requirements-audit.txt ]; then
  .venv/bin/python -m venv "$home"
  "$home/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-audit.txt
  touch "$home/.ready"
fi
for lock in requirements*.txt; do
  echo "audit: $lock"
  "$home/bin/pip-audit" --strict --disable-pip --require-hashes --progress-spinner off -r "$lock"
done
echo "audit: package-lock.json"
PATH="$PWD/.venv/bin:$PATH" npm audit --package-lock-only --audit-level=low
