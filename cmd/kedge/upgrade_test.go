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
	proto "kedge/internal/hold/wire"
)

// oldHolder answers, in this process, as a holder of version 0 that knows two
// requests. It says how often it was asked for one that it does not know.
type oldHolder struct {
	hello proto.Greeting

	mu      sync.Mutex
	strange int
}

func (o *oldHolder) serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go o.answer(c)
	}
}

func (o *oldHolder) answer(c net.Conn) {
	defer c.Close()
	f, err := proto.JSON(proto.Hello, o.hello)
	for err == nil {
		if proto.Write(c, f) != nil {
			return
		}
		var asked proto.Frame
		if asked, err = proto.Read(c); err != nil {
			return
		}
		switch asked.Type {
		case proto.Status:
			f, err = proto.JSON(proto.Report, proto.State{Running: true})
		case proto.Follow:
			f = proto.Frame{Type: proto.OK}
		default:
			o.mu.Lock()
			o.strange++
			o.mu.Unlock()
			return
		}
	}
}

// TestF3OlderHolderIsAdopted: a daemon takes up a session whose holder is older
// than anything it knows; what that holder cannot do is refused with words.
func TestF3OlderHolderIsAdopted(t *testing.T) {
	b := newBox(t)
	var s kedge.Session
	b.json(&s, "new", "old", "--", "cat")
	r := b.record(s.ID)
	b.killDaemon()
	b.killHolder(s.ID)
	o := &oldHolder{hello: r.Greeting}
	o.hello.Protocol, o.hello.Verbs = 0, "SF"
	o.hello.Holder, o.hello.Child = identity(t, os.Getpid()), identity(t, os.Getpid())
	r.Greeting = o.hello
	if err := os.Remove(r.Socket); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", r.Socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.run("down"); _ = l.Close() }) // before the sessions are cleared: this one cannot be ended
	go o.serve(l)
	b.write(s.ID, r)
	b.run("up")
	if got := b.session(s.ID); got.State != kedge.SessionRunning || got.PID != os.Getpid() {
		t.Errorf("adopted as %+v", got)
	}
	for _, args := range [][]string{{"send", "old", "hi"}, {"kill", "old"}} {
		if said := b.fails(4, args...); !strings.Contains(said, "older Kedge") || !strings.Contains(said, "hint:") {
			t.Errorf("%v: %s", args, said)
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.strange != 0 {
		t.Errorf("the old holder was asked %d times for what it does not know", o.strange)
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
	b.json(&c.Session, "new", "newer", "--", "counter", c.copy, stop)
	wg.Go(func() { c.follow(b.folder(c.ID)) })
	if got := b.record(c.ID).Protocol; got != proto.Protocol+1 {
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
		"kedge.go":                   {`Version = "` + kedge.Version + `"`, `Version = "` + nextVersion + `"`},
		"internal/hold/wire/wire.go": {"const Protocol = 1", "const Protocol = 2"},
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
	c := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", out, ".")
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, said)
	}
	return out
}
