#!/bin/bash
# agents.sh DIR [NAME…]: installs the pinned real agents into DIR/<name>-<version>,
# each by itself, with npm as it is configured here; what cannot be installed is
# said, with the reason, and its tests are skipped.
set -uo pipefail
dir=$1; shift
pinned="
claude   2.1.197  @anthropic-ai/claude-code
claude   2.1.325  @anthropic-ai/claude-code
codex    0.166.0  @openai/codex
gemini   0.61.0   @google/gemini-cli
opencode 1.18.33  opencode-ai
qwen     0.15.10  @qwen-code/qwen-code
pi       0.73.1   @mariozechner/pi-coding-agent
copilot  1.0.102  @github/copilot
"
mkdir -p "$dir"
install() { # name version package
	local to="$dir/$1-$2" log
	[ -d "$to" ] && return
	command -v npm >/dev/null || { echo "skipped: $1 $2: npm is not installed"; return; }
	rm -rf "$to.part"
	if log=$(npm install --no-audit --no-fund --loglevel=error --prefix "$to.part" "$3@$2" 2>&1); then
		mv "$to.part" "$to" && echo "installed: $1 $2"
	else
		rm -rf "$to.part"
		echo "skipped: $1 $2: $(tail -1 <<<"$log")"
	fi
}
while read -r name version package; do
	[ -n "$name" ] || continue
	[ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
	install "$name" "$version" "$package"
done <<<"$pinned"
