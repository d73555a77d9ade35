#!/usr/bin/env bash
# Installs the Matrix homeserver Synapse, for tests/interop, and prints the path of its Python. Safe to repeat.
# TALARIA_PEERS names the folder it goes to, default ~/.cache/talaria-peers. Needs python3 (3.10 or later) with venv.
set -euo pipefail

version=1.163.2
folder="${TALARIA_PEERS:-${XDG_CACHE_HOME:-$HOME/.cache}/talaria-peers}/synapse-$version"
python="$folder/bin/python"

if [ ! -e "$folder/installed" ]; then
  mkdir -p "$(dirname "$folder")"
  # Another run may be at work, or one may have been cut short: only a folder with the mark is whole.
  exec 9>"$folder.lock"
  flock 9
  if [ ! -e "$folder/installed" ]; then
    rm -rf "$folder"
    python3 -m venv "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check --no-cache-dir --only-binary=:all: \
      "matrix-synapse==$version" >&2
    "$python" -c 'import synapse.app.homeserver'
    touch "$folder/installed"
  fi
fi
echo "$python"
