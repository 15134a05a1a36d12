package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"kedge"
	"kedge/internal/testkit/modelserver"
)

// asked SCRIPT REGEXP: the model of a script was asked something that matches.
func asked(ts *testscript.TestScript, neg bool, args []string) {
	askedIn(ts, neg, args, func([]byte) bool { return true })
}

// askedFirst SCRIPT REGEXP: a conversation of a script began with a request that matches.
func askedFirst(ts *testscript.TestScript, neg bool, args []string) {
	askedIn(ts, neg, args, func(body []byte) bool { return !bytes.Contains(body, []byte(`"role":"assistant"`)) })
}

// askedIn looks for a request among some of those of a script.
func askedIn(ts *testscript.TestScript, neg bool, args []string, among func(body []byte) bool) {
	if len(args) != 2 {
		ts.Fatalf("usage: asked SCRIPT REGEXP")
	}
	re := regexp.MustCompile("(?s)" + args[1])
	bodies := slices.DeleteFunc(requestsOf(ts, args[0]), func(body []byte) bool { return !among(body) })
	if found := slices.ContainsFunc(bodies, re.Match); found == neg {
		for _, b := range bodies {
			ts.Logf("asked: %s", messagesOf(b))
		}
		ts.Fatalf("asked of %q was %q: %t", args[0], args[1], found)
	}
}

// requestsOf are the requests that the model of a script got.
func requestsOf(ts *testscript.TestScript, script string) [][]byte {
	var out [][]byte
	for _, r := range ts.Value(modelKey{}).(*modelserver.Server).Records() {
		if r.Conversation == script {
			out = append(out, r.Body)
		}
	}
	return out
}

// messagesOf is what a request says, without its tools, where the protocol tells it apart.
func messagesOf(body []byte) string {
	var said struct {
		Messages json.RawMessage `json:"messages"`
		Input    json.RawMessage `json:"input"`
	}
	_ = json.Unmarshal(body, &said) // only shown
	return string(said.Messages) + string(said.Input)
}

// held are the sessions that Kedge knows.
func held(ts *testscript.TestScript) []kedge.Session {
	var list struct {
		Sessions []kedge.Session `json:"sessions"`
	}
	ts.Check(ts.Exec("kedge", "ls", "--json"))
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &list))
	return list.Sessions
}

// of are the sessions of a feature; plan are those of none.
func of(all []kedge.Session, feature string) []kedge.Session {
	if feature == "plan" {
		feature = ""
	}
	return slices.DeleteFunc(slices.Clone(all), func(s kedge.Session) bool { return string(s.Feature) != feature })
}

// longPatience guards against hanging where real programs do most of a run first.
const longPatience = 30 * time.Minute

// liveAwait is await for as long as a run may take.
func liveAwait(ts *testscript.TestScript, neg bool, args []string) {
	awaitFor(ts, longPatience, neg, args)
}

// sessions FEATURE N, or N-M: so many sessions worked on it.
func sessionsOf(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sessions FEATURE N")
	}
	least, most, ok := strings.Cut(args[1], "-")
	if !ok {
		most = least
	}
	from, err := strconv.Atoi(least)
	ts.Check(err)
	to, err := strconv.Atoi(most)
	ts.Check(err)
	if got := of(held(ts), args[0]); len(got) < from || len(got) > to {
		ts.Fatalf("%d sessions worked on %q: %+v", len(got), args[0], got)
	}
}

// served [-untold] NAME…: what Kedge says that the sessions of a feature used (of
// none, for planning, where the name is plan) is what the model of the same name
// served; with -untold, all of it but the first reply, in whose tool a program was
// killed that tells of a reply only when its tools are over.
func served(ts *testscript.TestScript, neg bool, args []string) {
	untold := len(args) > 0 && args[0] == "-untold"
	if untold {
		args = args[1:]
	}
	if neg || len(args) == 0 {
		ts.Fatalf("usage: served [-untold] NAME…")
	}
	all := held(ts)
	for _, name := range args {
		var got modelserver.Usage
		mine := of(all, name)
		for _, ses := range mine {
			if k := ses.Kinds; k != nil {
				got = got.Add(modelserver.Usage{Input: k.Input, CacheRead: k.CacheRead, CacheWrite: k.CacheWrite, Output: k.Output})
			}
		}
		total := ts.Value(modelKey{}).(*modelserver.Server).Totals(name)
		want := total.Usage
		if untold {
			want = want.Sub(total.First)
		}
		if got.CacheWrite == 0 { // a protocol that has no figure for it
			want.Input, want.CacheWrite = want.Input+want.CacheWrite, 0
		}
		if got != want || total.Replies == 0 {
			ts.Fatalf("the %d sessions of %q used %+v, the model served %+v in %d replies", len(mine), name, got, want, total.Replies)
		}
		ts.Logf("%s: %d sessions, %d replies, %+v", name, len(mine), total.Replies, got)
	}
}

// strike [-told] FEATURE: the living session of a feature is killed, as the system
// kills: the group of its program, with no word to anybody. What a tool of it runs
// in a group of its own is left. With -told not before Kedge knows what every
// reply so far used.
func strike(ts *testscript.TestScript, neg bool, args []string) {
	told := len(args) > 0 && args[0] == "-told"
	if told {
		args = args[1:]
	}
	if neg || len(args) != 1 {
		ts.Fatalf("usage: strike [-told] FEATURE")
	}
	total := ts.Value(modelKey{}).(*modelserver.Server).Totals(args[0])
	var pid int
	waitFor(ts, "the session can be struck", func() bool {
		for _, s := range of(held(ts), args[0]) {
			known := !told || s.Kinds != nil && s.Kinds.Output == total.Output
			if s.Live() && s.PID > 1 && known {
				pid = s.PID
				return true
			}
		}
		return false
	})
	group, err := syscall.Getpgid(pid)
	ts.Check(err)
	if group == syscall.Getpgrp() {
		ts.Fatalf("the program %d is in the tester's own group", pid)
	}
	ts.Check(syscall.Kill(-group, syscall.SIGKILL))
}

// alone: of everything that was started here only the daemon is left, or will be:
// nothing that an agent or a tool of one started.
func alone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: alone")
	}
	daemon := strings.TrimSpace(ts.ReadFile(ts.Getenv("KEDGE_HOME") + "/daemon/pid"))
	var left []string
	defer func() {
		if len(left) > 0 {
			ts.Logf("left: %s", strings.Join(left, "\n"))
		}
	}()
	waitFor(ts, "only the daemon is left", func() bool {
		// with their environments: whatever was started here has this HOME
		out, err := exec.Command("ps", "axeww", "-o", "pid=,command=").Output()
		ts.Check(err)
		left = nil
		for line := range strings.Lines(string(out)) {
			pid, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			if pid != daemon && strings.Contains(rest, "HOME="+ts.Getenv("HOME")) {
				left = append(left, cutTo(line, 300))
			}
		}
		return len(left) == 0
	})
}

func cutTo(s string, n int) string { return s[:min(n, len(s))] }

// waitFor waits until something is so.
func waitFor(ts *testscript.TestScript, what string, ok func() bool) {
	deadline := time.After(longPatience)
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			ts.Fatalf("never: %s", what)
		}
	}
}
