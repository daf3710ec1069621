#!/usr/bin/env bash
# Check the import rules of setup.cfg. import-linter looks into the current folder first and follows no
# symlinks, so it runs in a copy in which am/, container/ ... lie below xlearning/.
set -eu
cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -rL tools/typepath/xlearning "$copy/xlearning"
cp setup.cfg "$copy"
bin=$(realpath "${1:-.venv/bin}")
cd "$copy"
PYTHONPATH="$copy" "$bin/lint-imports" --no-cache
