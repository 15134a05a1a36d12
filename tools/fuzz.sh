#!/bin/bash
# Runs every fuzz target for FUZZTIME (30s). Goes on after a finding, and ends
# with the number of targets and of findings.
set -u
time=${FUZZTIME:-30s}
only=${1:-.}
targets=0 findings=0
while IFS=: read -r file name; do
	pkg=./$(dirname "${file#./}")
	[[ $pkg/$name =~ $only ]] || continue
	targets=$((targets + 1))
	log=$(go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" "$pkg" 2>&1)
	if [ $? -ne 0 ] && ! grep -q 'context deadline exceeded' <<<"$log"; then
		findings=$((findings + 1))
		printf 'FINDING %s %s\n%s\n' "$pkg" "$name" "$log"
	else
		printf 'ok      %s %s %s\n' "$pkg" "$name" "$(grep -o 'execs: [0-9]*' <<<"$log" | tail -1)"
	fi
done < <(grep -rhoHE '^func Fuzz[A-Za-z0-9_]+' --include=*_test.go . | sed -E 's/:func /:/' | sort)
echo "$targets targets, $findings findings"
[ $findings -eq 0 ]
