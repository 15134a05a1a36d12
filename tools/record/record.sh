#!/usr/bin/env bash
# Records what real tools print when something fails, for the tests of
# internal/insight/failure. It makes tiny projects in a temporary folder, runs the tools
# in them and writes <tool>-<case>.txt (the output, with this machine's paths
# replaced) and <tool>-<case>.json with its command and exit code.
#
#   tools/record/record.sh [CASE-PATTERN]    e.g. record.sh 'pytest-*'
#   go test ./internal/insight/failure -run Row15 -update    fills in the expectations;
#   read the difference before committing it.
#
# Tools are taken from $RECORD_TOOLS (default: a folder "kedge-record" in the
# temporary folder) or from PATH. A case whose tool is missing is reported and
# its recording left as it is. To fill $RECORD_TOOLS:
#   npm/   npm install jest vitest mocha @playwright/test typescript eslint
#   deb/   Debian packages unpacked with dpkg -x: python3-pytest and its
#          dependencies; for Maven without a network: libsurefire-java junit5
#          libmaven-compiler-plugin-java libmaven-resources-plugin-java
#          maven-debian-helper and theirs; for Gradle: gradle junit4 and theirs.
#          Gradle wants to stand in /usr/share, so it runs in a mount namespace
#          of its own, which needs root.
set -u
only=${1:-*}
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "$here/../../internal/insight/failure/testdata/recorded" && pwd) || exit 1
tools=${RECORD_TOOLS:-${TMPDIR:-/tmp}/kedge-record}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export LC_ALL=C.UTF-8 TERM=dumb NO_COLOR=1 CI=1 GOFLAGS=-count=1
deb=$tools/deb
export PYTHONPATH=$deb/usr/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1
export GRADLE_USER_HOME=$work/gradle-home
missing=
unset RUST_BACKTRACE

# scrub replaces what differs between machines.
scrub() {
  local up
  up=$(realpath -m --relative-to="$PWD" "$tools/npm")
  sed -e "s#file://$work/[a-z]*#file:///project#g" -e "s#$work/[a-z]*#/project#g" -e "s#$tools/npm#/tools#g" -e "s#$up/#../tools/#g" -e "s#$deb#/tools#g" -e "s#$tools#/tools#g" \
    -e "s#$(go env GOROOT)#/usr/local/go#g" -e "s#$HOME#/home/me#g" -e 's#/tmp/go-build[0-9]*#/tmp/go-build1#g' -e 's#/tmp/cc[A-Za-z0-9]*\.o#/tmp/cc1.o#g'
}

# record NAME COMMAND runs the command in the current folder.
record() {
  case $1 in $only) ;; *) return ;; esac
  if ! need "${1%%-*}"; then
    missing="$missing $1"
    return
  fi
  printf '%s: %s\n' "$1" "$2"
  timeout 300 bash -c "$2" </dev/null 2>&1 | scrub >"$out/$1.txt"
  local code=${PIPESTATUS[0]}
  printf '{\n  "command": "%s",\n  "exit": %d\n}\n' "$(printf %s "$2" | sed 's/["\\]/\\&/g')" "$code" >"$out/$1.json"
}

# need tells whether the tool of a case is here.
need() {
  case $1 in
    pytest) python3 -c 'import pytest' 2>/dev/null ;;
    jest | vitest | mocha | playwright | eslint | tsc) [ -x "$tools/npm/node_modules/.bin/$1" ] ;;
    gradle) [ -e "$deb/usr/share/gradle" ] && unshare -m true 2>/dev/null ;;
    mvn) [ -e "$deb/usr/share/maven-repo" ] && command -v mvn >/dev/null ;;
    python) command -v python3 >/dev/null ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

# project NAME makes an empty folder and goes there. Folder names are lower case.
project() {
  mkdir -p "$work/$1" && cd "$work/$1" || exit 1
}

# shellcheck source=/dev/null
for f in go python node rust java shell long states apart; do . "$here/$f.sh"; done
[ -z "$missing" ] || echo "not recorded, tool missing:$missing" >&2
