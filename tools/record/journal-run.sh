# The run of journal.sh, recorded twice on its way. Sourced by it.

# The planning session asks, and changes a file, which it may not.
ends 5 kedge plan 'Orders for the shop'
kedge answer 1 EUR only
ends 5 kedge run
kedge salvage restore "$(kedge salvage ls | sed -n 's/^\(sal-[0-9a-z]*\).*/\1/p')"
git checkout -q README.md
kedge salvage gc --older-than 0h
kedge plan approve

# A session leaves a file for agents, which you approve. Then p1.1 is completed,
# p1.2 blocked, p1.3 needs your review, p1.4 asks, and p1.5 is handed over to a
# second session, which hangs; p1.6 and p2.1 are not begun.
ends 5 kedge run
kedge approve "$(kedge approve | sed -n 's/^yes, agents.*kedge approve //p')"
kedge run --continue --detach
await more sh -c "cat $home/worktrees/*/slot-*/stock.txt"
sleep 1 # until the journal has all that the session told

# Daemon, agent and holder die in the middle of the session, in this order: the
# holder lives long enough to write down how the agent ended.
agent=$(newest)
newest_session=$(ls -d "$home"/sessions/* | tail -n 1)
kill -9 "$(cat "$home/daemon/lock")"
kill -9 "$agent"
await '"signal": 9' cat "$newest_session/exit.json"
end_all
pack killed

# The run is resumed, you tell its session something, and stop it.
kedge up
await again sh -c "cat $home/worktrees/*/slot-*/stock.txt"
kedge tell p1.5 'count twice'
kedge checkpoint save
kedge run --stop
kedge down
pack stopped
