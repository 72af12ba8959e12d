#!/bin/sh
# usage: gateway.sh KBGATE [SCRIPT [OPTION...]]   The scenarios with the real OpenClaw gateway and its Feishu plugin, on loopback, against
# the program KBGATE. SCRIPT: scenarios (default; OPTIONs are those of node --test) or measure [COUNT]. Needs npm and openssl;
# the first run fetches about 700 MB into $KBGATE_OPENCLAW_CACHE (default ~/.cache/kbgate-openclaw). Exits 77 with a reason
# when it cannot. $KBGATE_OPENCLAW_NICE: the gateway's niceness (default 10); beside other work it may need less.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
[ $# -ge 1 ] || {
  sed -n '2,6s/^# //p' "$0" >&2
  exit 2
}
program=$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd -P)/$(basename -- "$1")
cache=${KBGATE_OPENCLAW_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kbgate-openclaw}
"$here/gateway/install.sh" "$cache"
export KBGATE="$program" KBGATE_OPENCLAW_CACHE="$cache"
node=$cache/node/node_modules/.bin/node
script=${2:-scenarios}
[ $# -lt 2 ] || shift
shift
case $script in
  scenarios) exec "$node" --test --test-reporter=spec "$@" "$here/gateway/scenarios.mjs" ;;
  measure) exec "$node" "$here/gateway/measure.mjs" "$@" ;;
  *)
    echo "gateway.sh: no script $script" >&2
    exit 2
    ;;
esac
