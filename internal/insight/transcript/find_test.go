package transcript_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kedge/internal/agents/catalog"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
)

func TestSlug(t *testing.T) {
	for dir, want := range map[string]string{"/home/u/my.shop_2": "-home-u-my-shop-2", "/é/😀": "------"[:5]} {
		if got := transcript.Slug(dir); got != want {
			t.Errorf("slug(%q) = %q, want %q", dir, got, want)
		}
	}
}

func place(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestFind: every program's transcripts of the project are found, where that
// program keeps them, and those of other projects are not.
func TestFind(t *testing.T) {
	home := t.TempDir()
	const dir = "/home/u/shop"
	sum := sha256.Sum256([]byte(dir))
	hash := hex.EncodeToString(sum[:])
	for path, name := range map[string]string{
		".claude/projects/-home-u-shop/s1.jsonl":                 "claude.jsonl",
		".claude/projects/-home-u-shop/s1/subagents/agent.jsonl": "claude.jsonl",
		".claude/projects/-home-u-shopping/s2.jsonl":             "claude.jsonl",
		".codex/sessions/2026/10/01/rollout-1.jsonl":             "codex.jsonl",
		".gemini/tmp/" + hash + "/chats/session-1.jsonl":         "gemini.jsonl",
		".gemini/tmp/elsewhere/chats/session-2.jsonl":            "gemini.jsonl",
		".qwen/projects/-home-u-shop/chats/1.jsonl":              "qwen.jsonl",
		".pi/agent/sessions/--home-u-shop--/1.jsonl":             "pi.jsonl",
		".copilot/session-state/c0c0/events.jsonl":               "copilot.jsonl",
		".codex/sessions/2026/10/01/rollout-2.jsonl":             "claude.jsonl",
	} {
		place(t, filepath.Join(home, path), fixture(t, name))
	}
	database(t, filepath.Join(home, ".local", "share", "opencode", "opencode.db"), dir)
	where := transcript.Where{Dirs: []string{dir}, Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }}
	list, err := catalog.Transcripts().Find(t.Context(), where)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range list {
		got = append(got, f.Agent+" "+filepath.Base(f.Path)+" "+f.Session)
	}
	want := "claude s1.jsonl ,codex rollout-1.jsonl ,gemini session-1.jsonl ,opencode opencode.db ses_1,qwen 1.jsonl ,pi 1.jsonl ,copilot events.jsonl "
	if strings.Join(got, ",") != want {
		t.Errorf("found\n%s, want\n%s", strings.Join(got, ","), want)
	}
	where.Agent = "pi"
	if list, err := catalog.Transcripts().Find(t.Context(), where); err != nil || len(list) != 1 {
		t.Errorf("of pi: %+v, %v", list, err)
	}
}

// TestSubAgents: the transcript of a sub-agent is a session of its own, which
// says whose, wherever Claude Code keeps it; and only what is a side chain is one.
func TestSubAgents(t *testing.T) {
	home := t.TempDir()
	const dir, side = "/home/u/shop", `{"type":"user","isSidechain":true,"agentId":"a1","sessionId":"s1","uuid":"u","timestamp":"2026-02-04T04:10:01.000Z","message":{"content":"look"}}` + "\n" +
		`{"type":"assistant","isSidechain":true,"agentId":"a1","sessionId":"s1","uuid":"v","message":{"id":"m","model":"claude-haiku-4-5","content":[{"type":"text","text":"done"}],"usage":{"input_tokens":3,"output_tokens":4}}}`
	kept := filepath.Join(home, ".claude", "projects", transcript.Slug(dir))
	for path, text := range map[string]string{
		"s1.jsonl":                      strings.ReplaceAll(strings.ReplaceAll(side, `true`, `false`), "look", "begin"),
		"s1/subagents/agent-a1.jsonl":   side,
		"agent-a2.jsonl":                strings.ReplaceAll(side, "a1", "a2"),
		"agent-notes.jsonl":             strings.ReplaceAll(side, `true`, `false`),
		"s1/subagents/agent-a1.meta":    "{}",
		"s1/tool-results/agent-x.jsonl": side,
	} {
		place(t, filepath.Join(kept, path), []byte(text))
	}
	list, err := catalog.Transcripts().Find(t.Context(), transcript.Where{Dirs: []string{dir}, Agent: "claude", Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range list {
		g, err := catalog.Transcripts().CountFile(t.Context(), f, noPrice, nil)
		if err != nil {
			t.Fatal(err)
		}
		opened, err := catalog.Transcripts().Open(t.Context(), f.Path)
		if err != nil || len(opened) != 1 || opened[0] != f {
			t.Errorf("opened by its name %+v, found %+v, %v", opened, f, err)
		}
		got = append(got, fmt.Sprintf("%s of %q: %d calls, %d characters", g.ID, g.Parent, g.Calls, g.Composition.Sum()))
	}
	want := []string{
		`agent-a2 of "s1": 1 calls, 8 characters`, `s1 of "": 1 calls, 8 characters`,
		`s1 of "": 1 calls, 9 characters`, `agent-a1 of "s1": 1 calls, 8 characters`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestFindElsewhere: a variable moves the folder, and the project's own file of
// Aider is found in it.
func TestFindElsewhere(t *testing.T) {
	dir, moved := t.TempDir(), t.TempDir()
	place(t, filepath.Join(moved, "projects", transcript.Slug(dir), "s.jsonl"), fixture(t, "claude.jsonl"))
	place(t, filepath.Join(dir, ".aider.chat.history.md"), fixture(t, "aider.md"))
	env := map[string]string{"HOME": t.TempDir(), "CLAUDE_CONFIG_DIR": moved}
	list, err := catalog.Transcripts().Find(t.Context(), transcript.Where{Dirs: []string{dir}, Getenv: func(name string) string { return env[name] }})
	if err != nil || len(list) != 2 || list[0].Agent != "claude" || list[1].Agent != "aider" {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := catalog.Transcripts().Find(t.Context(), transcript.Where{Dirs: []string{dir}, Getenv: func(string) string { return "" }}); err != nil || len(list) != 1 {
		t.Errorf("without a home: %+v, %v", list, err)
	}
}

// TestBegan: a transcript began when its first entry with a time says.
func TestBegan(t *testing.T) {
	for name, want := range map[string]string{"claude.jsonl": "claude", "codex.jsonl": "codex", "gemini.jsonl": "gemini", "qwen.jsonl": "qwen", "pi.jsonl": "pi", "copilot.jsonl": "copilot"} {
		f := transcript.File{Agent: want, Path: filepath.Join("testdata", name)}
		g, err := catalog.Transcripts().CountFile(t.Context(), f, noPrice, nil)
		if err != nil || g.StartedAt == nil {
			t.Fatalf("%s: %+v, %v", name, g.StartedAt, err)
		}
		if got := catalog.Transcripts().Began(t.Context(), f); got != *g.StartedAt {
			t.Errorf("%s began at %q, not %q", name, got, *g.StartedAt)
		}
	}
	line := `{"type":"user","sessionId":"s","uuid":"u","cwd":"/w","timestamp":"2026-03-01T1%d:00:00.000Z","message":{"role":"user","content":"x"}}` + "\n"
	file := filepath.Join(t.TempDir(), "s.jsonl")
	place(t, file, []byte(strings.Repeat(fmt.Sprintf(line, 1), 2*256)+fmt.Sprintf(line, 0)))
	if got := catalog.Transcripts().Began(t.Context(), transcript.File{Agent: "claude", Path: file}); got != "2026-03-01T11:00:00.000Z" {
		t.Errorf("what stands far behind the first counts: %q", got)
	}
	if got := catalog.Transcripts().Began(t.Context(), transcript.File{Agent: "claude", Path: file + ".none"}); got != "" {
		t.Errorf("no file: %q", got)
	}
}

// noPrice knows no price.
func noPrice(string, string, audit.Usage) *float64 { return nil }

// TestFindWhereTheFolderIsGone: sessions that worked below the project, or in a worktree
// beside it that is gone, are found by what their transcripts say; those of another project
// with a name that begins the same are not.
func TestFindWhereTheFolderIsGone(t *testing.T) {
	home := t.TempDir()
	repo := filepath.Join(home, "shop")
	there := filepath.Join(home, "shop-there")
	for _, dir := range []string{repo, there} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, where := range map[string][2]string{
		"below":    {filepath.Join(repo, ".worktrees", "one"), "any"},
		"beside":   {filepath.Join(home, "shop-feature"), "feature/x"},
		"renamed":  {filepath.Join(home, "shop.other"), "feature/x"},
		"strange":  {filepath.Join(home, "shop-front"), "unknown"}, // another repository
		"there":    {there, "feature/x"},                           // a folder of its own
		"longer":   {filepath.Join(home, "shopping"), "feature/x"},
		"branched": {filepath.Join(home, "shop-none"), ""},
	} {
		line := fmt.Sprintf("{\"type\":\"summary\",\"leafUuid\":\"u\"}\n{\"type\":\"user\",\"uuid\":\"u\",\"sessionId\":%q,\"cwd\":%q,\"gitBranch\":%q,\"message\":{\"content\":\"x\"}}\n", name, where[0], where[1])
		place(t, filepath.Join(home, ".claude", "projects", transcript.Slug(where[0]), name+".jsonl"), []byte(line))
	}
	where := transcript.Where{Dirs: []string{repo}, Agent: "claude", Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }}
	names := func() (list []string) {
		files, err := catalog.Transcripts().Find(t.Context(), where)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			list = append(list, f.Name())
		}
		slices.Sort(list)
		return list
	}
	if got := names(); !slices.Equal(got, []string{"below"}) {
		t.Errorf("without a repository: %v", got)
	}
	where.Branch = func(name string) bool { return name == "feature/x" }
	if got := names(); !slices.Equal(got, []string{"below", "beside", "renamed"}) {
		t.Errorf("found %v", got)
	}
}
