#!/bin/bash
# test-agents.sh DIR [NAME…]: installs the pinned real agents into DIR and drives them
# against a model on the loopback interface. What go test prints is shown as it comes;
# at the end once more what failed, what was skipped and why, and its closing lines. The
# exit code is that of go test. RUN names the tests (TestLive).
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
dir=$(realpath -m "$1") || exit 2
shift
case $dir/ in
/tmp/*)
	echo "the agents must not lie below /tmp, of which a sandbox has one of its own: make test-agents KEDGE_AGENTS=DIR" >&2
	exit 2
	;;
esac
log=$(mktemp) missing=$(mktemp)
trap 'rm -f "$log" "$missing"' EXIT
./tools/agents.sh "$dir" "$@" | tee "$missing" || exit 2
KEDGE_TEST_AGENTS=$dir "${GO:-go}" test -v -count=1 -timeout 120m -run "${RUN:-TestLive}" ./internal/agents/... ./cmd/kedge 2>&1 | tee "$log"
code=${PIPESTATUS[0]}

echo
grep '^skipped: ' "$missing"
# what a test says last before it is skipped is why
awk '
	/^=== (RUN|CONT|NAME) / { test = $3; next }
	/^ *[a-z_]+\.go:[0-9]+: / { line = $0; sub(/^ *[a-z_]+\.go:[0-9]+: /, "", line); why[test] = line; next }
	/^ *--- FAIL: / { failed[++fails] = $3; next }
	/^ *--- PASS: / { passes++; next }
	/^ *--- SKIP: / { skipped[++skips] = $3; next }
	/^(ok|FAIL|panic:)[ \t]/ && !/no test files/ && !/no tests to run/ { closing[++closes] = $0 }
	END {
		for (i = 1; i <= skips; i++) printf "skipped: %s: %s\n", skipped[i], why[skipped[i]]
		for (i = 1; i <= fails; i++) printf "failed: %s\n", failed[i]
		for (i = 1; i <= closes; i++) print closing[i]
		printf "%d passed, %d failed, %d skipped\n", passes, fails, skips
	}' "$log"
exit "$code"
