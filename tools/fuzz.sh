#!/bin/bash
# Runs every fuzz target for FUZZTIME (30s), two at a time, then twenty rounds of random
# kills. Goes on after a finding, and ends with the number of targets and of findings.
set -u
export FUZZTIME=${FUZZTIME:-30s}
only=${1:-.}

# fuzz runs one target. Go sometimes ends a run that found nothing with "context
# deadline exceeded"; any other failure is a finding.
fuzz() {
	local pkg=$1 name=$2 log
	if log=$(go test -run '^$' -fuzz "^$name\$" -fuzztime "$FUZZTIME" -parallel=1 "$pkg" 2>&1) ||
		{ grep -q 'context deadline exceeded' <<<"$log" && ! grep -qE 'Failing input|panic:' <<<"$log"; }; then
		printf 'ok      %s %s %s\n' "$pkg" "$name" "$(grep -o 'execs: [0-9]*' <<<"$log" | tail -1)"
	else
		printf 'FINDING %s %s\n%s\n' "$pkg" "$name" "$log"
	fi
}
export -f fuzz

report=$(mktemp)
trap 'rm -f "$report"' EXIT
grep -roHE '^func Fuzz[A-Za-z0-9_]+' --include=*_test.go . |
	sed -E 's|/[^/]*:func | |' | sort |
	while read -r pkg name; do [[ $pkg/$name =~ $only ]] && printf '%s\0%s\0' "$pkg" "$name"; done |
	xargs -0 -r -n 2 -P 2 bash -c 'fuzz "$@"' fuzz | tee "$report"
targets=$(grep -cE '^(ok     |FINDING) \./' "$report")
findings=$(grep -cE '^FINDING \./' "$report")
if [[ ./cmd/kedge/TestRandomKills =~ $only ]]; then
	seed=${KEDGE_TEST_SEED:-$RANDOM}
	echo "random kills, KEDGE_TEST_SEED=$seed"
	KEDGE_TEST_SEED=$seed KEDGE_TEST_KILL_ROUNDS=20 go test -count=1 -timeout 90m -run '^TestRandomKills$' ./cmd/kedge || findings=$((findings + 1))
fi
echo "$targets targets, $findings findings"
[ "$targets" -gt 0 ] && [ "$findings" -eq 0 ]
