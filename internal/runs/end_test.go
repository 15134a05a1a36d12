package runs_test

import (
	"strings"
	"testing"

	"kedge"
	"kedge/internal/run"
	"kedge/internal/service"
)

// writes is an agent that writes a file named after its feature.
const writes = `[{"do":[{"do":"write","path":"{{feature}}.txt","text":"ok\n"},{"do":"done"}]}]`

func TestRow105AllDoneStartsNoAgent(t *testing.T) {
	w := newWorld(t, nil, writes, "")
	w.feature("a", "test -f a.txt")
	w.feature("b", "test -f b.txt", after("a"))
	w.want(w.run(service.RunFlags{}), run.StatusDone, "", "a:completed b:completed")
	if got := w.git("status", "--porcelain"); got != "" {
		t.Errorf("the user's checkout is dirty:\n%s", got)
	}
	if got := w.git("ls-files", "*.txt"); got != "a.txt\nb.txt" {
		t.Errorf("landed %q", got)
	}
	before := len(w.sessions())
	w.want(w.run(service.RunFlags{}), run.StatusDone, "", "a:completed b:completed")
	if n := len(w.sessions()); before != 2 || n != before {
		t.Errorf("%d sessions, then %d: all done must start no agent", before, n)
	}
}

func TestRow14OneRepairThenBlocked(t *testing.T) {
	w := newWorld(t, nil, `[{"feature":"good","do":[{"do":"write","path":"good.txt","text":"ok\n"}]},
		{"do":[{"do":"write","path":"{{purpose}}.txt","text":"never\n"},{"do":"done"}]}]`, "")
	w.feature("bad", "echo 'bad_test.go:7: it is not there' >&2; exit 1")
	w.feature("good", "test -f good.txt")
	w.want(w.run(service.RunFlags{}), run.StatusStopped, kedge.Blocked, "bad:blocked good:completed")
	var purposes []string
	for _, s := range w.sessions() {
		if strings.HasPrefix(s.Name, "bad") {
			purposes = append(purposes, string(s.ID))
		}
	}
	if len(purposes) != 2 {
		t.Errorf("%d sessions for a feature that never passes, want the first and one repair", len(purposes))
	}
	if why := w.of("bad"); !strings.Contains(why.Notes, "it is not there") {
		t.Errorf("the explanation %q does not have the first failure", why.Notes)
	}
}
