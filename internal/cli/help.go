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
  Keep      kedge new NAME -- claude   an agent that outlives the terminal
            kedge attach NAME          see its screen; Ctrl-] d detaches
            kedge ls                   which sessions run, which wait for you
  Drive     kedge init                 set up this repository
            kedge plan "GOAL"          questions first, then a plan to approve
            kedge run                  let the agent work; Kedge verifies it
            kedge status               where the work stands, what to do next
  Answer    kedge answer | approve | deny | tell
  Recover   kedge resume | salvage | doctor

Try it, no model or key needed: kedge demo        All commands: kedge help --all
One command: kedge COMMAND --help
`

const byHandText = `How to do a feature yourself, without a run:

  kedge feature add login --name "Log in" --check "go test ./login"
  kedge feature submit login        once before the work: the check must be red
  kedge next                        which feature is next, and why
  kedge new work -- claude          start an agent, or do the work yourself
  kedge feature submit login        after the work: Kedge runs the checks
  git add -A && git commit          commit the work: Kedge commits only in runs
  kedge checkpoint save             save where the work stands, for later

A feature then waits for you if it has no check, or if the work changed files
outside its paths. Accept the work with kedge approve ID --reason WHY, or refuse
it with kedge deny ID --reason WHY.`

const exitCodesText = `Exit codes. Their meaning never changes. Treat an unknown code as a failure.

  0    ok
  1    internal error
  2    wrong usage or input, or a lint command or kedge doctor found something
  3    not found
  4    conflict: something exists already, has changed or is locked
  5    something waits for you: a question, a review or a blocked feature
  6    a check is red; the last line of kedge gate says which kind
  7    a budget or another limit of the run is reached
  130  interrupted`

const environmentText = `Environment:

  KEDGE_HOME      the folder in which Kedge stores its own data; the daemon
                  serves one such folder
                  (default $XDG_STATE_HOME/kedge, else ~/.local/state/kedge)
  KEDGE_PROJECT   the project folder (default: the current one)
  KEDGE_SESSION   the id of the session, set by Kedge inside a session; commands
                  in a session never start a daemon
  KEDGE_TOKEN     set by Kedge inside a session; kedge mcp proves with it which
                  session it serves

Kedge creates KEDGE_HOME with mode 0700. If you own an existing, empty folder
that others can access, Kedge restricts it and tells you. Any other folder that
others can access is an error.`

const jsonText = `With --json a command prints one JSON object on stdout. Later versions may add
fields, but never rename a field. An empty list is [] with exit code 0. An unknown
value is null, never 0. An error is one object on stderr,
{"error":{"kind","message","hint"}}, and stdout stays empty.`
