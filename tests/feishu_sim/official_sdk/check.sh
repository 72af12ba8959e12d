#!/bin/sh
# usage: check.sh KBGATE DIRECTORY   The official SDK against `KBGATE sim feishu`; installs the SDK into DIRECTORY once. Exits 77
# with a reason when node or npm is not there or the SDK cannot be had.
set -eu
[ $# -eq 2 ] || {
  sed -n '2,3s/^# //p' "$0" >&2
  exit 2
}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
skip() {
  echo "skipped: $1"
  exit 77
}
command -v node > /dev/null || skip "node is not installed"
command -v npm > /dev/null || skip "npm is not installed"
mkdir -p "$2"
directory=$(CDPATH='' cd -- "$2" && pwd -P)
cp "$here/package.json" "$here/package-lock.json" "$here/check.mjs" "$directory"
if ! cmp -s "$here/package-lock.json" "$directory/installed.json"; then
  (cd "$directory" && npm ci --ignore-scripts --no-audit --no-fund --fetch-retries=1 --fetch-timeout=60000 > npm.log 2>&1) ||
    skip "npm cannot install the SDK; see $directory/npm.log"
  cp "$here/package-lock.json" "$directory/installed.json"
fi
exec node "$directory/check.mjs" "$1" "$here/../../feishu/events"
