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
kilo     7.7.7    @kilocode/cli
opencode 1.18.33  opencode-ai
qwen     0.15.10  @qwen-code/qwen-code
pi       0.73.1   @mariozechner/pi-coding-agent
copilot  1.0.102  @github/copilot
"
# With these Kedge was not made: only what their sessions used is tried.
counted="
qwen     0.24.4   @qwen-code/qwen-code
"
mkdir -p "$dir" || exit 1
# reason is what npm says of its failure, not where it wrote more about it.
reason() {
	local why
	why=$(sed -nE 's/^npm (ERR!|error) //p' <<<"$1" | grep -vE '^(code|errno|syscall|A complete log)' | head -1)
	echo "${why:-npm failed: $(tail -1 <<<"$1")}"
}
install() { # name version package
	local to="$dir/$1-$2" log
	[ -d "$to" ] && return
	command -v npm >/dev/null || { echo "skipped: $1 $2: npm is not installed"; return; }
	rm -rf "$to.part"
	if ! log=$(npm install --no-audit --no-fund --loglevel=error --fetch-retries=1 --fetch-timeout=60000 --prefix "$to.part" "$3@$2" 2>&1); then
		echo "skipped: $1 $2: $(reason "$log")"
	elif ! [ -x "$to.part/node_modules/.bin/$1" ]; then
		echo "skipped: $1 $2: the package brings no program $1"
	else
		mv "$to.part" "$to" && echo "installed: $1 $2"
	fi
	rm -rf "$to.part"
}
while read -r name version package; do
	[ -n "$name" ] || continue
	[ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
	install "$name" "$version" "$package"
done <<<"$pinned$counted"
