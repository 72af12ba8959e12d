# Sourced by ./dev after workspace.sh: the scripted conversation, and what has to come out of it.
# shellcheck shell=sh disable=SC2034,SC2154 # variables shared with dev

checks=0
faults=0

title() { printf '\n──── %s\n' "$*"; }
indent() { sed 's/^./      &/'; }

name_of() {
  case $1 in
    ou_alice) echo "Alice 林晓" ;;
    ou_bob) echo "Bob 周博" ;;
    ou_carol) echo "Carol 郑可" ;;
    *) echo "$1" ;;
  esac
}

# ask SENDER CHAT TEXT: holds one exchange and prints it; the reply stays in $reply for the checks that follow.
ask() {
  if [ "$2" = - ]; then place="private chat"; else place="group $2"; fi
  printf '\n  %s · %s\n  ▸ %s\n' "$(name_of "$1")" "$place" "$3"
  reply=$(chat "$1" "$2" "$3") || fail "no reply; the daemon's log is $workspace/daemon.log"
  printf '%s\n' "$reply" | indent
}

wrong() {
  faults=$((faults + 1))
  printf '  ✗ %s\n' "$*"
}

# says TEXT...: each has to stand in the reply.   silent TEXT...: none may.
says() {
  for text in "$@"; do
    checks=$((checks + 1))
    case $reply in *"$text"*) ;; *) wrong "expected in the reply: $text" ;; esac
  done
}
silent() {
  for text in "$@"; do
    checks=$((checks + 1))
    case $reply in *"$text"*) wrong "must not be in the reply: $text" ;; esac
  done
}

team_label='（团队知识库）'
project_label='（项目）'
personal_label='（个人知识库）'
not_found='我在知识库中没有找到与'
too_little='我找到了相关资料，但其中没有足够信息回答该问题，因此目前不能得出结论。'

hold_conversation() {
  title "In the team's group: answers come from the team's knowledge base, word for word, with their sources"
  ask ou_bob oc_nlp "混合来源的难负例 nDCG@10 是多少？"
  says "0.741" "来源：" "$team_label" "https://git.example/nlp/nlp-team-kb/src/commit/"
  ask ou_alice oc_nlp "How long does the reranker take at the 95th percentile?"
  says "118 ms" "Reranker latency on L4"
  ask ou_bob oc_nlp "Atlas 项目的首次发布推迟到什么时候，为什么？"
  says "11 月 23 日" "日语评测集" "$project_label"
  ask ou_alice oc_nlp "韩雪负责什么？"
  says "评测集" "《韩雪》"
  ask ou_bob oc_nlp "标注平台的地址是什么？"
  says "label-old.example" "此页已标记为过时"

  title "A group never hears of anybody's own notes; in private one hears of one's own"
  ask ou_alice oc_nlp "我的阅读计划里 12 月要做什么？"
  says "群聊中不能查询个人知识库。请私聊我查询个人资料。"
  silent "小结" "$personal_label"
  ask ou_alice oc_nlp "东京参会的报告在哪天？"
  silent "12 月 9 日" "$personal_label"
  ask ou_alice - "我的阅读计划里 12 月要做什么？"
  says "12 月 18 日" "$personal_label"
  ask ou_alice - "难负例的相似度上限是多少？"
  says "0.92" "$personal_label" "$team_label"

  title "No source, no answer"
  ask ou_bob oc_nlp "法国的首都是哪里？"
  says "$not_found" "来源：无"
  ask ou_bob oc_nlp "Atlas 的日语标注员叫什么名字？"
  says "$too_little" "来源："
  ask ou_alice oc_nlp "邀请码是多少？"
  says "来源：无"
  silent "NLP-7K2M"

  title "Who may ask where"
  ask ou_carol oc_nlp "新人第一周要做什么？"
  says "你不是本群绑定团队的成员，不能操作该团队知识库。"
  ask ou_bob oc_new "新人第一周要做什么？"
  says "本群还没有绑定团队。请团队管理员先在群里 @我 绑定本群。"

  title "Binding a new group: two steps, by an administrator of the team"
  ask ou_bob oc_new "/bind NLP 团队"
  says "的管理员才能绑定"
  silent "BIND-"
  ask ou_alice oc_new "/bind NLP 团队"
  says "BIND-"
  code=$(printf '%s\n' "$reply" | sed -n 's/.*\(BIND-[A-Z0-9][A-Z0-9]*\).*/\1/p' | head -n 1)
  ask ou_bob oc_new "/confirm $code"
  ask ou_bob oc_new "新人第一周要做什么？"
  says "本群还没有绑定团队。"
  ask ou_alice oc_new "/confirm $code"
  says "NLP 团队"
  ask ou_bob oc_new "新人第一周要做什么？"
  says "跑通一次 atlas-eval 评测"

  title "Commands"
  ask ou_bob - "/whoami"
  says "ou_bob"
  ask ou_bob oc_new "/status"
  says "NLP 团队"
  ask ou_bob oc_nlp "/help"
  says "/bind" "/sources"
}

# show_log REPOSITORY: prints the log as git keeps it; it stays in $log for the checks that follow.
show_log() {
  title "What git keeps: $1, branch kbgate/query-log, log.md"
  log=$(demo_git --git-dir "$workspace/repos/$1.git" show kbgate/query-log:log.md) || wrong "$1 has no query log"
  printf '%s\n' "$log" | indent
}
log_says() {
  for text in "$@"; do
    checks=$((checks + 1))
    case $log in *"$text"*) ;; *) wrong "expected in the log: $text" ;; esac
  done
}
log_silent() {
  for text in "$@"; do
    checks=$((checks + 1))
    case $log in *"$text"*) wrong "must not be in the log: $text" ;; esac
  done
}

# A repository's log tells of the questions put to it, and of its own pages only.
read_logs() {
  show_log nlp-team-kb
  log_says "user=ou_bob scope=team | 混合来源的难负例 nDCG@10 是多少？" "法国的首都是哪里？" "scope=both | 难负例的相似度上限是多少？"
  log_silent "我的阅读计划里 12 月要做什么？" "notes/2026-"
  show_log alice-personal-kb
  log_says "scope=personal | 我的阅读计划里 12 月要做什么？" "scope=both | 难负例的相似度上限是多少？"
  log_silent "混合来源的难负例" "summaries/experiments/2026-09-16"
}

run_demo() {
  make_workspace
  say "the daemon starts over $workspace"
  start_daemon
  say "listening on 127.0.0.1:$port"
  hold_conversation
  stop_daemon
  [ "$daemon_exit" -eq 0 ] || wrong "the daemon left with $daemon_exit on SIGTERM, not 0"
  read_logs
  if [ "$faults" -gt 0 ]; then
    printf '\n'
    fail "$faults of $checks checks failed (✗ above); the daemon's log is $workspace/daemon.log"
  fi
  printf '\nAll %s checks hold. The workspace stays in %s; ./dev run opens it with a web page.\n' "$checks" "$workspace"
}

# run_kb_demo BUNDLE [FILE.jsonl]: twenty questions to a knowledge base that was not written for this demo.
run_kb_demo() {
  bundle=$1
  questions=${2-}
  [ -e "$bundle" ] || fail "no such bundle or repository: $bundle"
  if [ -z "$questions" ]; then
    case $(basename "$bundle") in
      cofacts*) questions=$data/eval/questions/cofacts.jsonl ;;
      oi-wiki* | oiwiki*) questions=$data/eval/questions/oiwiki.jsonl ;;
      sourcegraph*) questions=$data/eval/questions/sourcegraph.jsonl ;;
      *) fail "no question set is known for $(basename "$bundle"); name one with --questions FILE.jsonl" ;;
    esac
  fi
  [ -e "$questions" ] || fail "no questions at $questions; name a file with --questions, or set KBGATE_DATA"
  make_kb_workspace "$bundle"
  "$program" eval --questions "$questions" --limit 20 --print-questions >"$workspace/questions.txt" ||
    fail "cannot read questions from $questions"
  say "the daemon starts over $workspace (it indexes $(basename "$bundle") first)"
  start_daemon
  while IFS= read -r question <&4; do
    ask ou_alice oc_demo "$question"
  done 4<"$workspace/questions.txt"
  stop_daemon
  [ "$daemon_exit" -eq 0 ] || fail "the daemon left with $daemon_exit on SIGTERM, not 0"
  show_log "$name"
  [ "$faults" -eq 0 ] || exit 1
}

# The demo's daemon in the foreground, until Ctrl-C.
run_foreground() {
  make_workspace
  start_daemon
  cat <<TEXT

The web page:    http://127.0.0.1:$port/
A terminal chat: '$program' chat --url ws://127.0.0.1:$port/ws --sender_id ou_alice --chat_type group --chat_id oc_nlp
In private:      '$program' chat --url ws://127.0.0.1:$port/ws --sender_id ou_alice --chat_type direct
People: ou_alice (administrator), ou_bob (member), ou_carol (no team). Groups: oc_nlp (bound), oc_new (not yet).
The service log: $workspace/daemon.log. Ctrl-C ends it.
TEXT
  trap 'stop_daemon; exit 0' INT TERM
  wait "$daemon" || fail "the daemon ended by itself; its log is $workspace/daemon.log"
}
