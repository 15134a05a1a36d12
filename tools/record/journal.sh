#!/usr/bin/env bash
# Records a project in the middle of a run, for the test that a later build opens
# the journals of an earlier one (cmd/kedge/oldjournal_test.go). The given kedge
# plans, asks, works, fails, is killed and is stopped, in a small repository:
#
#   tools/record/journal.sh KEDGE [FOLDER]    e.g. journal.sh ./bin/kedge
#
# FOLDER (default: cmd/kedge/testdata/oldjournal) gets two recordings of one run,
# each with the repository (shop), KEDGE_HOME (state) and HOME (user):
#
#   killed.tar.gz    kill -9 of the daemon, the agent and its holder in a session
#   stopped.tar.gz   later: the run was resumed, and you stopped it
#
# Afterwards record what the same kedge answers, and read the difference before
# you commit it:
#
#   UPDATE=1 KEDGE_TEST_OLD_BINARY=KEDGE go test ./cmd/kedge -run TestOldJournal
#
# It needs Linux, git and sqlite3, and takes about half a minute.
set -eu
kedge=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
out=${2:-$here/../../cmd/kedge/testdata/oldjournal}
mkdir -p "$out" && out=$(cd "$out" && pwd)
# The journal keeps this path, so it says nothing of this machine.
work=$(mktemp -d /tmp/kedge-journal.XXXXXX)
home=$work/state
mkdir -p "$work/bin" "$work/user/.config/kedge"
ln -s "$kedge" "$work/bin/kedge"
for name in $(env | sed -n 's/^\(\(KEDGE\|GIT\|XDG\)_[A-Z_]*\)=.*/\1/p'); do unset "$name"; done
export PATH="$work/bin:/usr/local/bin:/usr/bin:/bin" HOME="$work/user" KEDGE_HOME="$home"
export USER=ada LOGNAME=ada NO_COLOR=1 GIT_CONFIG_NOSYSTEM=1 TMPDIR=/tmp LC_ALL=C.UTF-8

# ours gives the processes of this recording: those with its KEDGE_HOME.
ours() { grep -lszxF "KEDGE_HOME=$home" /proc/[0-9]*/environ | sed 's|/proc/\([0-9]*\)/.*|\1|'; }

# end_all kills them; grep and sed above are among them, and gone already.
end_all() { for pid in $(ours); do kill -9 "$pid" 2>/dev/null || true; done; }

trap 'end_all; rm -rf "$work"' EXIT

# await REGEXP COMMAND… runs the command until what it prints matches.
await() {
  local want=$1 said=
  shift
  for _ in $(seq 600); do
    said=$("$@" 2>&1) || true
    if grep -Eq "$want" <<<"$said"; then return; fi
    sleep 0.1
  done
  printf 'never: %s from %s\n%s\n' "$want" "$*" "$said" >&2
  return 1
}

# ends CODE COMMAND… runs a command that must end with the exit code.
ends() {
  local want=$1 got=0
  shift
  "$@" >"$work/said" 2>&1 || got=$?
  [ "$got" = "$want" ] && return
  printf 'exit code %s, not %s: %s\n' "$got" "$want" "$*" >&2
  cat "$work/said" >&2
  return 1
}

# hook EVENT JSON is what Claude Code sends to one of its hooks.
hook() {
  printf '{"session_id":"89d44c6e-68f0-4c1c-baa2-c674c92c6eb6","transcript_path":"%s/none.jsonl","cwd":"%s","permission_mode":"acceptEdits","hook_event_name":"%s"%s}' \
    "$HOME" "$PWD" "$1" "$2" | kedge hook claude >/dev/null
}

# newest is the pid of the newest session's program.
newest() { kedge ls --json | sed -n 's/^ *"pid": \([0-9]*\),*$/\1/p' | head -n 1; }

# pack NAME packs the three folders, without what nobody reads or everybody makes
# again. The write-ahead log of a killed daemon goes into the database: it is
# megabytes of the same pages.
pack() {
  sqlite3 "$home"/projects/*/kedge.db 'pragma wal_checkpoint(truncate)' >/dev/null
  git -C "$work/shop" repack -qadk
  find "$work/shop" "$home" -type s -delete
  tar -C "$work" --sort=name --owner=ada:1000 --group=ada:1000 --exclude=shop/.git/hooks --exclude=shop/.git/description \
    --exclude='*.db-shm' --exclude='*.db-wal' -cf - shop state user | gzip -9n >"$out/$1.tar.gz"
}

# shellcheck source=/dev/null
for part in journal-project journal-run; do . "$here/$part.sh"; done
