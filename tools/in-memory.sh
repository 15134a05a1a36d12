#!/bin/bash
# Runs a command whose temporary files are in memory, if the system lets us: the tests
# make thousands of repositories and journals, and wait for the disk at each of their
# writes. Only the command and what it starts see the files, which are gone when the
# last of these has ended. Elsewhere, and with little memory, it just runs the command.
set -euo pipefail
room=8 # GB that must be free: most of it is never used
at=/tmp/kedge-test-$(id -u) # always the same, or go would think that no result of a test holds any more

memory() {
	[ "$(uname)" = Linux ] && [ "$(id -u)" = 0 ] && command -v unshare >/dev/null || return 1
	[ "$(awk '/^MemAvailable:/ { print int($2 / 1000000) }' /proc/meminfo)" -ge $room ] || return 1
	mkdir -p -m 700 "$at" 2>/dev/null && [ -O "$at" ] && [ ! -L "$at" ] || return 1
	unshare --mount mount -t tmpfs none "$at" 2>/dev/null # tried in a namespace that ends with it
}

memory || exec "$@"
unset GOTMPDIR
export TMPDIR=$at
exec unshare --mount bash -c 'mount -t tmpfs -o mode=1777,size=50% none "$TMPDIR" && exec "$@"' in-memory "$@"
