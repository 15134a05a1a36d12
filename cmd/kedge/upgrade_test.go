package main

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"kedge"
	"kedge/internal/process/hold"
)

// oldHolder is a program that takes the place of a holder that is gone: one of
// version 0 that knows two requests. It ends at the first one that it does not
// know.
func oldHolder() {
	dir := os.Args[1]
	r, err := hold.ReadRecord(dir)
	if err != nil {
		os.Exit(1)
	}
	me, err := identityOf(os.Getpid())
	if err != nil {
		os.Exit(1)
	}
	r.Protocol, r.Verbs, r.Holder, r.Child = 0, "SF", me, me
	if err := os.Remove(r.Socket); err != nil && !os.IsNotExist(err) {
		os.Exit(1)
	}
	l, err := net.Listen("unix", r.Socket)
	if err != nil || saveRecord(dir, r) != nil {
		os.Exit(1)
	}
	for {
		c, err := l.Accept()
		if err != nil {
			os.Exit(1)
		}
		go answerOld(c, r.Greeting)
	}
}

func answerOld(c net.Conn, hello hold.Greeting) {
	defer c.Close()
	f, err := hold.NewJSON(hold.VerbHello, hello)
	for err == nil {
		if hold.WriteFrame(c, f) != nil {
			return
		}
		var asked hold.Frame
		if asked, err = hold.ReadFrame(c); err != nil {
			return
		}
		switch asked.Type {
		case hold.VerbStatus:
			f, err = hold.NewJSON(hold.VerbReport, hold.State{Running: true})
		case hold.VerbFollow:
			f = hold.Frame{Type: hold.VerbOK}
		default:
			os.Exit(3)
		}
	}
}

// TestF3OlderHolderIsAdopted: a daemon takes up a session whose holder is older
// than anything it knows; what that holder cannot do is refused with words, and
// not even asked for.
func TestF3OlderHolderIsAdopted(t *testing.T) {
	b := newBox(t)
	s := b.start("old", "cat")
	b.killDaemon()
	b.killHolder(s.ID)
	old := exec.Command("oldholder", b.folder(s.ID))
	if err := old.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = old.Process.Kill(); _ = old.Wait() })
	b.until("the old holder answers", func() bool {
		f := hold.Look(t.Context(), b.folder(s.ID))
		if f.Client != nil {
			_ = f.Client.Close()
		}
		return f.Client != nil && f.Client.Greeting.Holder.PID == old.Process.Pid
	})
	b.run("up")
	if got := b.session(s.ID); got.State != kedge.SessionRunning || got.PID != old.Process.Pid {
		t.Errorf("adopted as %+v", got)
	}
	for _, args := range [][]string{{"send", "old", "hi"}, {"kill", "old"}} {
		if said := b.fails(4, args...); !strings.Contains(said, "older version of Kedge") || !strings.Contains(said, "next:") {
			t.Errorf("%v: %s", args, said)
		}
	}
	if !isRunning(old.Process.Pid) {
		t.Error("the old holder was asked for what it does not know")
	}
}

// TestF3UpgradeToAnotherBuild: a binary with a newer protocol, really built,
// takes over the sessions of this one, and this one takes over the other's.
func TestF3UpgradeToAnotherBuild(t *testing.T) {
	if os.Getenv("KEDGE_TEST_FULL") == "" {
		t.Skip("builds the whole program; set KEDGE_TEST_FULL")
	}
	newer := buildNewer(t)
	b := newBox(t)
	stop := filepath.Join(b.dir, "stop")
	var wg sync.WaitGroup
	all := b.startCounted(10, stop, &wg)
	b.killDaemon()
	b.upNext(newer, "up", "--foreground")
	b.same(all)
	c := &counted{copy: filepath.Join(b.dir, "copy-new")}
	c.Session = b.start("newer", "counter", c.copy, stop)
	wg.Go(func() { c.follow(b.folder(c.ID)) })
	if got := b.record(c.ID).Protocol; got != hold.Protocol+1 {
		t.Errorf("the new build's holder speaks %d", got)
	}
	all = append(all, c)
	b.killDaemon()
	b.run("up")
	b.same(all)
	if err := os.WriteFile(stop, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	b.until("every session has ended", func() bool { return b.allEnded(all) })
	for _, c := range all {
		c.check(t, b.folder(c.ID))
	}
}

// buildNewer builds Kedge as its next version would be, with the next protocol.
func buildNewer(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	overlay := map[string]map[string]string{"Replace": {}}
	for file, change := range map[string][2]string{
		"kedge.go":                      {`Version = "` + kedge.Version + `"`, `Version = "` + nextVersion + `"`},
		"internal/process/hold/wire.go": {"const Protocol = 1", "const Protocol = 2"},
	} {
		src, err := filepath.Abs(filepath.Join("..", "..", file))
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(src)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(text), change[0], change[1], 1)
		if changed == string(text) {
			t.Fatalf("%s has no %q", file, change[0])
		}
		to := filepath.Join(dir, filepath.Base(file))
		if err := os.WriteFile(to, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay["Replace"][src] = to
	}
	j, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), j, 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "kedge")
	c := exec.Command("go", "build", "-trimpath", "-overlay", filepath.Join(dir, "overlay.json"), "-o", out, ".")
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, said)
	}
	return out
}
