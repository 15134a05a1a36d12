package kedge

import (
	"fmt"
	"strings"
)

// RefMove is a branch or tag of the repository that was found elsewhere than before a
// session began. Who moved it is not known for certain; that the commit is in the
// session's own worktree too says much.
type RefMove struct {
	Ref     string    // by its whole name
	From    string    // a commit, or the beginning of its name; empty: there was no such ref
	To      string    // empty: it is gone
	Session SessionID // that worked meanwhile; empty: not known
	Within  bool      // the session's worktree has the commit too, and had not when it began
}

const withinText = ", to a commit that its worktree has too"

// Finding tells of the move, with what takes it back.
func (m RefMove) Finding() Finding {
	who := "the session"
	if m.Session != "" {
		who = "session " + string(m.Session)
	}
	what := fmt.Sprintf("%s moved from commit %s to commit %s while %s worked", m.Ref, m.From, m.To, who)
	switch {
	case m.From == "":
		what = fmt.Sprintf("%s was created at commit %s while %s worked", m.Ref, m.To, who)
	case m.To == "":
		what = fmt.Sprintf("%s was removed while %s worked; it pointed to commit %s", m.Ref, who, m.From)
	case m.Within:
		what += withinText
	}
	return Finding{Level: LevelWarning, What: what, Where: m.Ref, Fix: m.fix()}
}

func (m RefMove) fix() string {
	look := "git log --oneline -5 " + strings.TrimPrefix(strings.TrimPrefix(m.Ref, "refs/heads/"), "refs/tags/")
	if m.From == "" || m.To == "" || !m.Within {
		return look
	}
	return "see what changed: " + look + "; undo it: " + m.Undo().String()
}

// Undo is the command that puts the ref back where it was, if it is where it was
// found. It touches no file.
func (m RefMove) Undo() NextStep {
	return Step("git", "update-ref", m.Ref, m.From, m.To).For("take back the commits that are not yours")
}

// RefMoveOf reads a move back from its finding: of one from a commit to another. The
// journal has it as a finding only.
func RefMoveOf(f Finding) (RefMove, bool) {
	m := RefMove{Ref: f.Where}
	rest, is := strings.CutPrefix(f.What, f.Where+" moved from ")
	if !is || f.Where == "" {
		return m, false
	}
	rest, m.Within = strings.CutSuffix(rest, withinText)
	rest = strings.NewReplacer("commit ", "", "session ", "").Replace(rest) // older findings lack these words
	var who string
	if _, err := fmt.Sscanf(rest, "%s to %s while %s", &m.From, &m.To, &who); err != nil {
		return m, false
	}
	if ValidID("ses", who) {
		m.Session = SessionID(who)
	}
	return m, true
}
