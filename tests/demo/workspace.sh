# Sourced by ./dev: the demo's workspace and its daemon. Uses $root, $program, $workspace, say and fail of dev.
# shellcheck shell=sh disable=SC2034,SC2154 # variables shared with dev

# Nothing of the reader's own git settings may change what the demo's repositories hold.
demo_git() {
  GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git "$@"
}

# make_repository FOLDER BARE NAME DATE: one commit that holds the folder; the same commit id on every machine.
make_repository() (
  export GIT_AUTHOR_NAME="$3" GIT_AUTHOR_EMAIL=demo@kbgate.example GIT_AUTHOR_DATE="$4"
  export GIT_COMMITTER_NAME="$3" GIT_COMMITTER_EMAIL=demo@kbgate.example GIT_COMMITTER_DATE="$4"
  demo_git init -q --bare --initial-branch=main "$2"
  demo_git --git-dir="$2" --work-tree="$1" add --all --force .
  demo_git --git-dir="$2" --work-tree="$1" commit -q -m "Pages of the demo"
)

fresh_workspace() {
  rm -rf "$workspace/repos" "$workspace/state" "$workspace/ready" "$workspace"/*.json "$workspace"/daemon.*
  mkdir -p "$workspace/repos"
}

# Two bare repositories and the four control files, made anew each time.
make_workspace() {
  fresh_workspace
  make_repository "$root/tests/demo/team" "$workspace/repos/nlp-team-kb.git" 林晓 "2026-11-23T09:30:00+08:00"
  make_repository "$root/tests/demo/personal" "$workspace/repos/alice-personal-kb.git" 林晓 "2026-11-14T19:30:00+08:00"
  cp "$root"/tests/demo/config/*.json "$workspace/"
}

# make_kb_workspace BUNDLE: one team whose knowledge base is a bare clone of it.
make_kb_workspace() {
  name=$(basename "$1" .bundle)
  name=$(basename "$name" .git)
  case $name in *[!A-Za-z0-9._-]*) name=kb ;; esac
  workspace=$root/demo-workspace/kb-$name
  fresh_workspace
  demo_git clone -q --bare "$1" "$workspace/repos/$name.git" >&2 || fail "git cannot clone $1"
  cat >"$workspace/kbgate.json" <<JSON
{
  "state_dir": "state",
  "users": "users.json",
  "teams": "teams.json",
  "chat_bindings": "chat_bindings.json",
  "repos": [{"owner": "demo", "repo": "$name", "kind": "team", "git": "repos/$name.git"}],
  "listen": {"address": "127.0.0.1", "port": 0}
}
JSON
  cat >"$workspace/users.json" <<'JSON'
{"ou_alice": {"name": "Alice", "personal_kb_owner": "", "personal_kb_repo": "", "team_id": "team_demo", "role": "admin"}}
JSON
  cat >"$workspace/teams.json" <<JSON
{"team_demo": {"team_id": "team_demo", "team_name": "Demo", "team_kb_owner": "demo", "team_kb_repo": "$name",
  "admins": ["ou_alice"], "members": ["ou_alice"], "projects": {"general": {"name": "General", "description": ""}}}}
JSON
  cat >"$workspace/chat_bindings.json" <<JSON
{"oc_demo": {"chat_id": "oc_demo", "chat_name": "Demo", "team_id": "team_demo", "team_name": "Demo",
  "team_kb_owner": "demo", "team_kb_repo": "$name", "bound_by": "ou_alice", "bound_at": "2026-11-23 09:00:00"}}
JSON
}

# start_daemon: returns when it is ready; sets $daemon and $port. A pipe carries the ready line, so nothing polls.
start_daemon() {
  ready=$workspace/ready
  mkfifo "$ready"
  # In a session of its own: Ctrl-C is for this script, which then asks the daemon to leave.
  setsid "$program" serve --config "$workspace" --ready-fd 3 3>"$ready" >"$workspace/daemon.out" 2>"$workspace/daemon.log" &
  daemon=$!
  trap stop_daemon EXIT
  trap 'exit 130' INT TERM
  line=
  read -r line <"$ready" || true
  rm -f "$ready"
  port=$(printf '%s\n' "$line" | sed -n 's/.*"port": *\([0-9][0-9]*\).*/\1/p')
  [ -n "$port" ] || {
    cat "$workspace/daemon.out" "$workspace/daemon.log" >&2
    fail "the daemon did not start; its output is above"
  }
}

# Ends the daemon as an operator would: SIGTERM, then wait. Sets $daemon_exit.
stop_daemon() {
  [ -n "${daemon-}" ] || return 0
  kill -TERM "$daemon" 2>/dev/null || true
  daemon_exit=0
  wait "$daemon" || daemon_exit=$?
  daemon=
}

# chat SENDER CHAT TEXT: one message over the bridge; prints the reply. CHAT is a group, or - for a private chat.
chat() {
  if [ "$2" = - ]; then set -- "$1" "$3" --chat_type direct; else set -- "$1" "$3" --chat_type group --chat_id "$2"; fi
  sender=$1
  text=$2
  shift 2
  printf '%s\n' "$text" | "$program" chat --url "ws://127.0.0.1:$port/ws" --sender_id "$sender" "$@"
}
