package cli

import "github.com/spf13/cobra"

// helpTopics are pages without a command behind them: kedge help exit-codes.
func helpTopics() []*cobra.Command {
	var topics []*cobra.Command
	for _, t := range []struct{ name, short, text string }{
		{"by-hand", "How to do a feature yourself, without a run", byHandText},
		{"exit-codes", "What each exit code means", exitCodesText},
		{"environment", "The environment variables Kedge reads", environmentText},
		{"json", "How --json behaves", jsonText},
	} {
		topics = append(topics, &cobra.Command{Use: t.name, Short: t.short, Long: t.text, GroupID: "help"})
	}
	return topics
}

// overviewText is the help of the whole: what people want, and the command for it. It fits a
// terminal of 80 columns and 24 rows.
const overviewText = `Kedge keeps long-running AI coding work from losing its place.

  Look      kedge audit                where context, time and money went
            kedge history WORDS        find a past conversation, of any agent
            kedge cost                 what sessions and features cost
  Keep      kedge new NAME -- claude   it outlives terminal and daemon
            kedge attach NAME          look and type; Ctrl-] d leaves it running
            kedge ls                   who runs, who waits for you
  Drive     kedge init                 set up this repository
            kedge plan "GOAL"          questions first, then a plan to approve
            kedge run                  take the features to verified done
            kedge status               where it stands and what to do next
  Answer    kedge answer | approve | deny | tell
  Recover   kedge resume | salvage | doctor

Try it, no model or key needed: kedge demo        All commands: kedge help --all
One command: kedge COMMAND --help
`

const byHandText = `A feature by hand, without a run:

  kedge feature add login --name "Log in" --check "go test ./login"
  kedge feature submit login        once before the work: the check must be red
  kedge next                        which feature is next, and why
  kedge new work -- claude          you do the work, or a session of any agent
  kedge feature submit login        only Kedge sets a feature to completed
  git add -A && git commit          you commit: Kedge commits only in a run
  kedge checkpoint save             saves where the work stands, for later

A feature without a check, or one that changed files outside its paths, then
waits for you: kedge approve ID --reason WHY, or kedge deny.`

const exitCodesText = `Exit codes. Their meaning never changes. Treat an unknown code as a failure.

  0    ok
  1    internal error
  2    usage, invalid input, or findings of a lint or the doctor
  3    not found
  4    conflict, or locked
  5    waits for you (blocked, open question, needs review)
  6    the gate is red; its last line says which kind
  7    a budget is spent
  130  interrupted`

const environmentText = `Environment:

  KEDGE_HOME      the state folder; each has its own daemon
                  (default $XDG_STATE_HOME/kedge, else ~/.local/state/kedge)
  KEDGE_PROJECT   the project folder (default: the current one)
  KEDGE_SESSION   set by Kedge inside a session; no command starts a daemon there
  KEDGE_TOKEN     set by Kedge inside a session, for kedge mcp

Kedge creates KEDGE_HOME with mode 0700. If you own an existing, empty folder
that others can access, Kedge restricts it and tells you. Any other folder that
others can access is an error.`

const jsonText = `With --json a command prints one JSON object on stdout. Later versions may add
names, but never rename one. An empty list is [] with exit code 0. An unknown
value is null, never 0. An error is one object on stderr,
{"error":{"kind","message","hint"}}, and stdout stays empty.`
