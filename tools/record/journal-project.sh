# The project of journal.sh, and what you do in it beside a run. Sourced by it.

printf '[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n' >"$HOME/.gitconfig"
# Output is kept for ever: the recording grows old.
printf 'version = 1\n[sessions]\nkeep_days = 0\n' >"$HOME/.config/kedge/config.toml"

# The project begins elsewhere, is set up twice, and moves.
mkdir "$work/before" && cd "$work/before"
git init -q
echo shop >README.md
printf '.wait\n.waits\n.claude/settings.local.json\n' >.gitignore
mkdir .claude && echo '{"permissions":{"allow":["Bash(true)"]}}' >.claude/settings.json
echo '*.loud filter=shout' >.gitattributes
echo HELLO >hello.loud
git add -A && git commit -qm first
git config filter.shout.clean 'tr a-z A-Z' && git config filter.shout.smudge cat
kedge init --yes
kedge init --remove
kedge init --yes
kedge down
cd "$work" && mv before shop && cd shop
cp "$here/journal-agent.json" agent.json
cat >.kedge/config.toml <<'END'
version = 1
[agents.bot]
kind = "command"
command = ["kedge", "fakeagent", "agent.json"]
[run]
agent = "bot"
END
cat >.kedge/gate.toml <<'END'
version = 1
[[check]]
name = "unit"
kind = "test"
run = "while test -e .wait; do touch .waits; sleep 0.05; done; test -e README.md"
END
git add -A && git commit -qm settings

# You approve the repository's files for agents, and its git filter.
kedge approve "$(kedge approve | sed -n 's/^yes, agents.*kedge approve //p')"
kedge approve "$(kedge approve | sed -n 's/^\(filter:[^ ]*\).*/\1/p')"

# Features, risks, decisions and notes; one file is edited by hand.
kedge feature add legacy --name 'The old shop' --check 'test -e legacy.txt' --priority 900
kedge feature amend legacy --check 'test -s legacy.txt' --reason 'empty is nothing'
kedge feature skip legacy --reason 'nobody needs it'
kedge risk add 'prices may be rounded twice'
kedge risk add 'the old shop is still online'
kedge risk close "$(kedge risk ls | sed -n 's/^\(rsk-[0-9a-z]*\).*old shop.*/\1/p')" --reason 'it was turned off'
first=$(kedge decide 'amounts are floats' --why 'it is quick' --reject 'text: slow' | cut -d' ' -f1)
kedge decide 'amounts are integers' --why 'cents do not drift' --reject 'floats: they drift' --supersedes "$first" --reason 'they drift'
kedge remember 'Prices stand in price.txt, in cents, because sums must not drift'
sed -i 's/prices may be rounded twice/prices may be rounded three times/' .kedge/risks.md
kedge risk add 'no load test'

# Two gates: one is green, one is interrupted.
kedge gate
touch .wait
kedge gate >/dev/null 2>&1 &
gate=$!
await waits ls -A
kill -INT $gate
wait $gate || true
rm .wait .waits

# A conversation that you have with Claude Code.
hook SessionStart ',"source":"startup"'
hook PostToolUse ',"tool_name":"Write","tool_input":{"file_path":"a.txt","content":"x"},"tool_response":{"type":"create","filePath":"a.txt"},"tool_use_id":"toolu_0002"'
hook PostToolUseFailure ',"tool_name":"Bash","tool_input":{"command":"exit 3"},"tool_use_id":"toolu_0003","error":"Exit code 3","is_interrupt":false'
hook PreCompact ',"trigger":"manual","custom_instructions":"the orders"'
hook SessionStart ',"source":"compact"'
hook Stop ',"stop_hook_active":false'
hook SessionEnd ',"reason":"other"'
await '"waiting": 0' kedge hooks ls --json

# Sessions of yours: one ends and is renamed, one is killed.
kedge new look -- sh -c 'echo hello; exit 3'
await 'look +exited' kedge ls
kedge rename look peek
kedge new lost -- sh -c 'echo still here; read line'
await 'still here' kedge logs lost
kill -9 "$(newest)"
await 'lost +interrupted' kedge ls
kedge exec -- sh -c 'echo an output'

# A worktree of Kedge's that nobody needs.
git worktree add -q -b spare "$work/spare"
echo 0 >.git/worktrees/spare/kedge-owner
kedge worktree gc
git branch -qD spare
