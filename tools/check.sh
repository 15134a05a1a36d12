#!/bin/bash
# Formatting, vet, lint and dead code; installs its tools, pinned, on first use.
set -euo pipefail
tools=$1
mkdir -p "$tools"
get() { [ -x "$tools/$1" ] || GOBIN="$tools" go install "$2"; }
get gofumpt mvdan.cc/gofumpt@v0.12.0
get deadcode golang.org/x/tools/cmd/deadcode@v0.52.0
get golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.12.2
status=0
files=$("$tools/gofumpt" -l .)
[ -z "$files" ] || { echo "not formatted:"; echo "$files"; status=1; }
go vet ./... || status=1
"$tools/golangci-lint" run ./... || status=1
dead=$("$tools/deadcode" -test ./...)
[ -z "$dead" ] || { echo "$dead"; status=1; }
exit $status
