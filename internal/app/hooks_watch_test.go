package app_test

import (
	"strconv"
	"testing"
	"time"

	"kedge"
	"kedge/internal/app/attend"
	"kedge/internal/app/status"
)

// TestRow58HalfAnHourByHooks: an agent whose hooks tell of half an hour of work gets a
// checkpoint, and not before; one that somebody saved meanwhile counts.
func TestRow58HalfAnHourByHooks(t *testing.T) {
	p := newGateProject(t)
	p.commitEmpty()
	n := 0
	works := func(at time.Time) string {
		t.Helper()
		n++
		p.leave(time.Duration(n)*time.Second, attend.Record{Data: kedge.HookData{
			Agent: "claude", Event: kedge.HookTool, Native: "c1", At: at, Tool: "Bash", Call: "t", Input: "make", Sum: strconv.Itoa(n),
		}})
		p.take(1)
		c, err := p.CheckpointShow(t.Context(), p.who(), status.CheckpointShowRequest{})
		if err != nil && !kedge.NotFound.Is(err) {
			t.Fatal(err)
		}
		return string(c.ID)
	}
	began := time.Now().UTC()
	if works(began) != "" || works(began.Add(29*time.Minute)) != "" {
		t.Fatal("a checkpoint before half an hour")
	}
	first := works(began.Add(31 * time.Minute))
	if first == "" {
		t.Fatal("no checkpoint after half an hour")
	}
	if again := works(began.Add(40 * time.Minute)); again != first {
		t.Errorf("%s 9 minutes after %s", again, first)
	}
	if later := works(began.Add(62 * time.Minute)); later == first {
		t.Error("no checkpoint after another half an hour")
	}
}
