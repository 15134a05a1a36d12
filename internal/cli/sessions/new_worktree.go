package sessions

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

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
		return nil, kedge.Errorf(kedge.Invalid, "--worktree= has no branch after it").WithHint("--worktree=BRANCH; or --worktree alone, for branch kedge/NAME")
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
		flag = " --worktree"
	}
	switch {
	case dash == 1 && len(args) > 1:
		return nil
	case dash == 0:
		return kedge.Errorf(kedge.Invalid, "the session has no name").WithHint("kedge new NAME%s -- %s", flag, strings.Join(args, " "))
	case dash == 2 && worktree:
		name, branch := args[0], args[1]
		if !kedge.ValidName(name) {
			name, branch = branch, name
		}
		return kedge.Errorf(kedge.Invalid, "--worktree takes its branch after an equals sign").
			WithHint("kedge new %s --worktree=%s -- %s", name, branch, strings.Join(args[2:], " "))
	default:
		return kedge.Errorf(kedge.Invalid, "the command to run is missing").WithHint("kedge new %s%s -- COMMAND", args[0], flag)
	}
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
