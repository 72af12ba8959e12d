#!/bin/sh
# usage: install.sh FOLDER   Node 24, the OpenClaw gateway and its Feishu plugin from the npm registry into FOLDER, once;
# about 700 MB. Exits 77 with a reason when it cannot.
set -eu
mkdir -p "$1"
dir=$(CDPATH='' cd -- "$1" && pwd -P)
node_version=24.21.0
openclaw_version=2026.9.6
feishu_version=2026.9.5

skip() {
  echo "skipped: $*" >&2
  exit 77
}

# get FOLDER PACKAGE: npm's own words only when it fails.
get() {
  mkdir -p "$dir/$1"
  [ -f "$dir/$1/package.json" ] || echo '{"private": true}' >"$dir/$1/package.json"
  # Packages ask for the Node that will run them.
  (cd "$dir/$1" && PATH="$dir/node/node_modules/.bin:$PATH" nice npm install --omit=optional --no-audit --no-fund "$2" >"$dir/$1.log" 2>&1) || {
    tail -5 "$dir/$1.log" >&2
    skip "npm cannot install $2"
  }
}

command -v npm >/dev/null 2>&1 || skip "npm is not installed"
command -v openssl >/dev/null 2>&1 || skip "openssl is not installed"
node=$dir/node/node_modules/.bin/node
[ "$("$node" --version 2>/dev/null || true)" = "v$node_version" ] || get node "node@$node_version"
"$node" --version >/dev/null 2>&1 || skip "node $node_version does not run here"
grep -qs "\"version\": \"$openclaw_version\"" "$dir/oc/node_modules/openclaw/package.json" || get oc "openclaw@$openclaw_version"

# The Feishu plugin has to be installed by OpenClaw itself: loaded from a plain path it is refused.
state=$dir/state
plugin=$(echo "$state"/npm/projects/*/node_modules/@openclaw/feishu/package.json)
if ! grep -qs "\"version\": \"$feishu_version\"" "$plugin"; then
  mkdir -p "$state" "$dir/home"
  echo '{"gateway": {"mode": "local"}}' >"$state/openclaw.json"
  (cd "$dir/home" && PATH="$dir/node/node_modules/.bin:$PATH" HOME="$dir/home" OPENCLAW_STATE_DIR="$state" OPENCLAW_CONFIG_PATH="$state/openclaw.json" \
    OPENCLAW_DISABLE_BONJOUR=1 OPENCLAW_NO_AUTO_UPDATE=1 nice "$node" "$dir/oc/node_modules/openclaw/openclaw.mjs" \
    plugins install "@openclaw/feishu@$feishu_version" >"$dir/feishu.log" 2>&1) || {
    tail -5 "$dir/feishu.log" >&2
    skip "OpenClaw cannot install its Feishu plugin"
  }
fi
