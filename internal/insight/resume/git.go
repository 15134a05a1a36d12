package resume

import (
	"strings"

	"kedge/internal/core/check"
)

// settle takes what a command that worked did by git to the changes that were not
// committed yet.
func (p *Picker) settle(command, out string) {
	if !strings.Contains(command, "git") {
		return
	}
	for _, r := range check.GitRuns(command, p.files.base) {
		if r.Repo == "" || r.Repo == p.files.base || p.files.below(r.Repo) { // and not another one than that of the work
			p.settleOne(r, command, out)
		}
	}
}

func (p *Picker) settleOne(r check.GitRun, command, out string) {
	subject, made := r.Commits(command, out)
	if made && (subject != "" || !r.KeepsSubject()) {
		p.step.commit = subject
	}
	p.step.pushed = !made && (p.step.pushed || r.Pushes(out))
	if r.Is("status", "diff") {
		p.files.differ(out, p.n)
	}
	switch {
	case made, r.Is("status", "commit") && strings.Contains(out, "nothing to commit, working tree clean"):
		p.files.committed(r.Repo)
	case r.Is("stash") && r.Has("pop", "apply"):
		p.files.tookBack()
	case r.Is("stash") && (len(r.Words) == 1 || r.Has("push", "save") || strings.HasPrefix(r.Words[1], "-")):
		p.files.setAside(r.Repo, true)
	case r.Is("reset") && r.Has("--hard"):
		p.files.setAside(r.Repo, false)
	case r.Is("checkout") && r.Has("."), r.Is("restore") && r.Has(".") && (!r.Has("--staged", "-S") || r.Has("--worktree", "-W")):
		if dir, known := r.Folder(p.files.base); known {
			p.files.setAside(dir, false)
		}
	}
}
