package sessions

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/spf13/cobra"

	"kedge"
	"kedge/internal/app/maintenance"
	"kedge/internal/app/sessions"
	"kedge/internal/cli/frame"
	"kedge/internal/text/plain"
)

// ownBranch is what --worktree means without a branch. No session has a name in capitals,
// so it is no branch that somebody would name.
const ownBranch = "kedge/NAME"

// worktreeWish is what the flag asks for.
func worktreeWish(value string) (*sessions.WorktreeWish, error) {
	switch value {
	case "":
		return nil, kedge.Errorf(kedge.Invalid, "--worktree= has no branch after it").WithHint("name a branch: --worktree=BRANCH; for the branch kedge/NAME, write only: --worktree")
	case ownBranch:
		return &sessions.WorktreeWish{}, nil
	default:
		return &sessions.WorktreeWish{Branch: value}, nil
	}
}

// checkArgs refuses arguments that are not a name, two dashes and a command. Dash is how
// many stand before the dashes; -1: there are none.
func checkArgs(args []string, dash int, worktree bool) error {
	flag := ""
	if worktree {
		flag = "--worktree"
	}
	switch {
	case dash == 1 && len(args) > 1:
		return nil
	case dash == 0:
		return kedge.Errorf(kedge.Invalid, "the session has no name").WithHint("put a name before the two dashes: %s", newStep("NAME", flag, args))
	case dash == 2 && worktree:
		name, branch := args[0], args[1]
		if !kedge.ValidName(name) {
			name, branch = branch, name
		}
		return kedge.Errorf(kedge.Invalid, "the branch of --worktree must follow an equals sign").
			WithHint("%s", newStep(name, "--worktree="+branch, args[2:]))
	case dash >= 2:
		return kedge.Errorf(kedge.Invalid, "a session has one name, not %d", dash).WithStep(newStep(args[0], flag, args[dash:]))
	case dash < 0 && len(args) > 1:
		return kedge.Errorf(kedge.Invalid, "put two dashes (--) between the name and the command").WithStep(newStep(args[0], flag, args[1:]))
	default:
		return kedge.Errorf(kedge.Invalid, "the command to run is missing").WithHint("add the command after two dashes: %s", newStep(args[0], flag, nil))
	}
}

// newStep is kedge new with a flag; COMMAND stands for a command that is missing.
func newStep(name, flag string, command []string) kedge.NextStep {
	args := []string{"new", name}
	if flag != "" {
		args = append(args, flag)
	}
	if len(command) == 0 {
		command = []string{"COMMAND"}
	}
	return kedge.Step("kedge", slices.Concat(args, []string{"--"}, command)...)
}

// worktreeProgress shows how a worktree is made, and what its set-up prints.
func worktreeProgress(env *frame.Env) func(json.RawMessage) {
	return func(raw json.RawMessage) {
		var p sessions.WorktreeProgress
		if json.Unmarshal(raw, &p) != nil {
			return
		}
		switch {
		case p.Step != "":
			env.Talk("%s", plain.Line(p.Step))
		case p.Line != "":
			env.Talk("  %s", plain.Line(p.Line))
		}
	}
}

// branches completes the branches that a worktree can be on.
func branches(env *frame.Env) cobra.CompletionFunc {
	return frame.CompleteOne(func(ctx context.Context) (list []cobra.Completion, err error) {
		out, err := frame.Call[maintenance.BranchListReply](ctx, env, "branch.list", maintenance.BranchListRequest{})
		for _, b := range slices.DeleteFunc(out.Branches, func(b maintenance.Branch) bool { return b.Worktree != "" }) {
			list = append(list, b.Name)
		}
		return list, err
	})
}
