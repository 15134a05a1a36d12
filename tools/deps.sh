#!/bin/bash
# Installs what the tests use beside Go: git, and on Linux strace for the kill
# tests. Without the right to install, it says what is missing and goes on: the
# tests that need it say that they were skipped.
set -u
missing=()
command -v git >/dev/null || missing+=(git)
command -v gcc >/dev/null || command -v clang >/dev/null || missing+=(gcc)
[ "$(uname)" = Linux ] && { command -v strace >/dev/null || missing+=(strace); }
[ ${#missing[@]} -eq 0 ] && exit 0
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
	export DEBIAN_FRONTEND=noninteractive
	apt-get install -y -q "${missing[@]}" >/dev/null 2>&1 ||
		{ apt-get update -q >/dev/null 2>&1 && apt-get install -y -q "${missing[@]}" >/dev/null; }
fi
for tool in "${missing[@]}"; do
	command -v "$tool" >/dev/null || echo "tests that need $tool will be skipped: install it" >&2
done
exit 0
