#!/bin/bash
# Installs what the tests use beside Go: git, a C compiler for the race detector, tmux with some full-screen programs,
# and on Linux strace for the kill tests. What cannot be had is said, and is exit
# code 1: a test that was quietly skipped would look like one that passed.
# KEDGE_TEST_NO_STRACE=1 does without strace; the tests then say what they skip.
set -u
missing=()
need() { command -v "$1" >/dev/null || missing+=("$1"); }
need git
for tool in tmux vim less htop; do need "$tool"; done # the terminals of people, and programs with a whole screen
command -v clang >/dev/null || need gcc
if [ "$(uname)" = Linux ] && [ -z "${KEDGE_TEST_NO_STRACE:-}" ]; then
	need strace
fi
# bubblewrap is good to have: without it the tests of the sandbox say that they skip.
if [ "$(uname)" = Linux ] && ! command -v bwrap >/dev/null && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
	DEBIAN_FRONTEND=noninteractive apt-get install -y -q bubblewrap >/dev/null 2>&1 || echo "the tests of the sandbox are skipped: no bubblewrap" >&2
fi
# Real sessions, too: their money and tokens are counted again, by the format alone.
corpus=${KEDGE_CORPUS:-$(dirname "$0")/../../shared/corpus}
compgen -G "$corpus/*.jsonl.gz" >/dev/null ||
	echo "money and tokens are counted again for excerpts only: no whole sessions (*.jsonl.gz) in $corpus; KEDGE_CORPUS may name them" >&2
[ ${#missing[@]} -eq 0 ] && exit 0
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
	export DEBIAN_FRONTEND=noninteractive
	apt-get install -y -q "${missing[@]}" >/dev/null 2>&1 ||
		{ apt-get update -q >/dev/null 2>&1 && apt-get install -y -q "${missing[@]}" >/dev/null; }
fi
code=0
for tool in "${missing[@]}"; do
	command -v "$tool" >/dev/null && continue
	echo "the tests need $tool: install it" >&2
	[ "$tool" = strace ] && echo "  (or KEDGE_TEST_NO_STRACE=1 make test: without the tests of kills)" >&2
	code=1
done
exit $code
