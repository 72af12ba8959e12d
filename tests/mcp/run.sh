#!/bin/sh
# usage: run.sh KBGATE DIR   The official MCP SDK against the program, over stdio and streamable HTTP. DIR keeps the
# SDK between runs. Needs node 18 or newer, and npm with its registry the first time; exits 77 without them.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
kbgate=$1
dir=$2
node=${NODE:-node}
major=$("$node" -p 'process.versions.node.split(".")[0]' 2>/dev/null) || major=0
if [ "$major" -lt 18 ]; then
  echo "skipped: node 18 or newer is needed ($node: ${major#0})" >&2
  exit 77
fi
mkdir -p "$dir"
cp "$here/package.json" "$here/sdk_test.mjs" "$dir/"
if [ ! -d "$dir/node_modules/@modelcontextprotocol/sdk" ]; then
  if ! (cd "$dir" && npm install --no-audit --no-fund --ignore-scripts >npm.log 2>&1); then
    echo "skipped: @modelcontextprotocol/sdk cannot be installed (see $dir/npm.log)" >&2
    exit 77
  fi
fi
cd "$dir"
exec env KBGATE="$kbgate" "$node" --test sdk_test.mjs
