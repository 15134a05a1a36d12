#!/bin/bash
# Tests one room of internal/, and every room that imports it, without the scripts of
# cmd/kedge: the answer while you work. `make test` is the whole.
set -euo pipefail
room=${1:-}
if [ -z "$room" ] || [ ! -d "internal/$room" ]; then
	echo "usage: make quick ROOM=NAME; the rooms are:" $(ls internal) >&2
	exit 2
fi
# A room imports another when one of its packages does, in product code.
users=$("${GO:-go}" list -f '{{$p := .ImportPath}}{{range .Imports}}{{$p}} {{.}}{{"\n"}}{{end}}' ./internal/... |
	awk -v room="$room" '$2 ~ "^kedge/internal/" room "(/|$)" { split($1, a, "/"); print a[3] }' | sort -u)
paths=()
for r in $room $users; do
	[ "$r" = testkit ] || paths+=("./internal/$r/...")
done
paths=($(printf '%s\n' "${paths[@]}" | sort -u))
echo "testing ${paths[*]}"
exec "${GO:-go}" test -short "${paths[@]}"
