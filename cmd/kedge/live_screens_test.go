package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"kedge/internal/process/hold"
	"kedge/internal/process/tape"
	"kedge/internal/testkit/modelserver"
)

// answerLines is how long the answer is that the model of TestLiveScreens gives: longer than
// the largest screen.
const answerLines = 90

// TestLiveScreens: the screens of real agents, of somebody who comes back after the daemon
// was killed, on terminals of three sizes, are those that the agent draws when all is to be
// drawn again; and no line that left the main screen is missing.
func TestLiveScreens(t *testing.T) {
	agents := os.Getenv("KEDGE_TEST_AGENTS")
	if agents == "" {
		t.Skip("real agents are driven by make test-agents")
	}
	tried := 0
	for _, a := range []struct {
		name    string
		command []string
		begins  string // what it shows when it waits for something to do
	}{
		{"claude", []string{"claude"}, "❯"},
		{"codex", []string{"codex", "-a", "on-request", "-s", "read-only"}, "Ask Codex"},
	} {
		installed, err := filepath.Glob(filepath.Join(agents, a.name+"-*", "node_modules", ".bin"))
		if err != nil {
			t.Fatal(err)
		}
		for _, bin := range installed {
			tried++
			t.Run(filepath.Base(filepath.Dir(filepath.Dir(bin))), func(t *testing.T) { liveScreens(t, bin, a.command, a.begins) })
		}
	}
	if tried == 0 {
		t.Skipf("neither Claude Code nor Codex is installed in %s", agents)
	}
}

func liveScreens(t *testing.T, bin string, command []string, begins string) {
	k := newKeeper(t)
	model, err := modelserver.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	var answer strings.Builder
	for n := range answerLines {
		fmt.Fprintf(&answer, "- line %03d of the answer, 世界\n", n)
	}
	model.Play("long", modelserver.Script{Turns: []modelserver.Turn{{Text: answer.String() + "\nthat was all of it"}}})
	k.knowsAgents(bin, model.URL)
	k.run(append([]string{"new", "agent", "--", "env", "TERM=xterm-256color", "LC_ALL=C.UTF-8"}, command...)...)
	p := k.pane(80, 24)
	p.attach("agent", begins)
	p.calmLooks()
	p.tmux("send-keys", "-t", p.id, "-l", "tell me "+modelserver.Mark("long"))
	p.calmLooks()
	p.keys("Enter")
	p.shows("that was all of it")
	p.detach("agent")
	id := k.session(k.dir, "agent").ID
	for _, size := range [][2]int{{80, 24}, {120, 40}, {45, 17}} {
		k.comesBackTo(k.pane(size[0], size[1]), size)
	}
	k.allThere(k.pane(80, 24), k.folder(id))
}

// comesBackTo compares what somebody sees who comes back to an agent after the daemon was
// killed with what the agent draws when it has to draw all again: for another size, and then
// for this one.
func (k *keeper) comesBackTo(p *pane, size [2]int) {
	k.t.Helper()
	s := screens{name: "agent"}
	s.shown(p)
	p.drawsAll()
	p.detach("agent")
	k.killDaemon()
	back := sameColours(s.shown(p))
	p.drawsAll()
	p.await(fmt.Sprintf("at %d by %d the agent draws what who came back saw:\n%s\n", size[0], size[1], back), func() bool { return sameColours(p.looks()) == back })
	p.detach("agent")
}

// drawsAll makes the agent draw its whole screen, by a change of its size and back. Each one
// is waited for: what is back at once is not noticed.
func (p *pane) drawsAll() {
	p.k.t.Helper()
	id := p.k.session(p.k.dir, "agent").ID
	c, err := hold.Dial(p.k.t.Context(), p.k.folder(id))
	if err != nil {
		p.k.t.Fatal(err)
	}
	defer c.Close()
	cols, rows := sessionSize(p.k.t, p.k.folder(id))
	for _, now := range []int{cols - 1, cols} {
		was := p.k.end(id)
		if err := c.Resize(p.k.t.Context(), uint16(now), uint16(rows)); err != nil {
			p.k.t.Fatal(err)
		}
		p.await("the agent draws", func() bool { return p.k.end(id) > was })
		p.calmLooks()
	}
}

// indexed is a colour of the first sixteen, by its number.
var indexed = regexp.MustCompile(`([34])8;5;(\d|1[0-5])([;m])`)

// sameColours writes the first sixteen colours in one of the two ways in which tmux does.
func sameColours(looks string) string {
	return indexed.ReplaceAllStringFunc(looks, func(s string) string {
		m := indexed.FindStringSubmatch(s)
		ground, _ := strconv.Atoi(m[1])
		n, _ := strconv.Atoi(m[2])
		if n >= 8 {
			return strconv.Itoa(10*ground+60+n-8) + m[3]
		}
		return strconv.Itoa(10*ground+n) + m[3]
	})
}

// allThere looks for every line of the answer: in the history of the session, and in what a
// terminal that attaches can scroll back to. An agent that has the second screen draws only
// a part of it.
func (k *keeper) allThere(p *pane, folder string) {
	k.t.Helper()
	screens{name: "agent"}.shown(p)
	if strings.Contains(p.looks(), "second screen 1") {
		return
	}
	_, end, err := tape.Open(folder).Range()
	if err != nil {
		k.t.Fatal(err)
	}
	h, err := tape.OpenHistory(folder, end)
	if err != nil {
		k.t.Fatal(err)
	}
	var lines []string
	for n := range h.Lines() {
		line, err := h.Line(n)
		if err != nil {
			k.t.Fatal(err)
		}
		lines = append(lines, line.Text)
	}
	for what, text := range map[string]string{"the history": strings.Join(lines, "\n"), "the terminal": p.all()} {
		for n := range answerLines {
			if want := fmt.Sprintf("line %03d of the answer", n); !strings.Contains(text, want) {
				k.t.Fatalf("%q is missing from %s", want, what)
			}
		}
	}
	p.detach("agent")
}

// knowsAgents sets real agents up, as they are after their first start, with a model.
func (k *keeper) knowsAgents(bin, url string) {
	k.t.Helper()
	key := "sk-" + "ant-mock-0123456789abcdef"
	claude, err := json.Marshal(map[string]any{
		"hasCompletedOnboarding": true, "theme": "dark", "numStartups": 5, "autoUpdates": false,
		"customApiKeyResponses": map[string]any{"approved": []string{key[max(len(key)-20, 0):]}, "rejected": []string{}},
		"projects":              map[string]any{k.dir: map[string]any{"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true}},
	})
	if err != nil {
		k.t.Fatal(err)
	}
	codex := "model_provider = \"mock\"\nmodel = \"mock-model\"\ncheck_for_update_on_startup = false\n[model_providers.mock]\nname = \"mock\"\n" +
		"base_url = \"" + url + "/v1\"\nwire_api = \"responses\"\nenv_key = \"MOCK_KEY\"\nrequest_max_retries = 0\nstream_max_retries = 0\n" +
		"[projects." + fmt.Sprintf("%q", k.dir) + "]\ntrust_level = \"trusted\"\n"
	home := strings.TrimPrefix(k.env[slices.IndexFunc(k.env, func(kv string) bool { return strings.HasPrefix(kv, "HOME=") })], "HOME=")
	for file, text := range map[string]string{".claude.json": string(claude), ".codex/config.toml": codex} {
		path := filepath.Join(home, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			k.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			k.t.Fatal(err)
		}
	}
	for i, kv := range k.env {
		if strings.HasPrefix(kv, "PATH=") {
			k.env[i] = "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")
		}
	}
	k.env = append(k.env, "ANTHROPIC_BASE_URL="+url, "ANTHROPIC_API_KEY="+key, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_MAX_RETRIES=1",
		"DISABLE_AUTOUPDATER=1", "MOCK_KEY=mock-"+"key-0123456789abcdef", "COLORTERM=truecolor")
}
