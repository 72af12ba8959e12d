#!/bin/sh
# usage: run.sh [KBGATE]   The link-level tests: the plugin against a scripted host and daemon, and against the program
# KBGATE when given. Needs node 20 or newer and nothing else; exits 77 without it.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
node=${NODE:-node}
major=$("$node" -p 'process.versions.node.split(".")[0]' 2>/dev/null) || major=0
if [ "$major" -lt 20 ]; then
  echo "skipped: node 20 or newer is needed ($node: ${major#0})" >&2
  exit 77
fi
[ -z "${1-}" ] || export KBGATE="$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd -P)/$(basename -- "$1")"
# Node 20 has the WebSocket client behind a flag; later ones take the flag and ignore it.
exec "$node" --experimental-websocket --no-warnings --test "$here"/*_test.mjs
