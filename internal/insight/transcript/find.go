package transcript

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"kedge/internal/insight/audit"
)

// Where says whose transcripts to look for.
type Where struct {
	Dirs   []string                 // where the sessions worked: the folders of a project
	Getenv func(name string) string // HOME, and where programs keep their files
	Agent  string                   // only this one's; empty: all
}

// Variables are the environment variables that say where transcripts are.
var Variables = []string{
	"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "PI_CODING_AGENT_DIR", "AIDER_CHAT_HISTORY_FILE",
}

// Find lists the transcripts of sessions that worked in the folders, agent by
// agent, each in the order of their paths. What cannot be looked into, because
// it is not there or is not ours, has none.
func Find(ctx context.Context, w Where) ([]File, error) {
	finders := map[string]func(context.Context, Where) []File{
		"claude": findClaude, "codex": findCodex, "gemini": findGemini, "opencode": findOpenCode,
		"qwen": findQwen, "pi": findPi, "copilot": findCopilot, "aider": findAider,
	}
	var list []File
	for _, agent := range Agents() {
		if w.Agent == "" || w.Agent == agent {
			list = append(list, finders[agent](ctx, w)...)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// home gives the folder that a variable names, else one below HOME; empty where
// neither is known.
func (w Where) home(variable string, below ...string) string {
	if variable != "" {
		if dir := w.Getenv(variable); dir != "" {
			return dir
		}
	}
	if home := w.Getenv("HOME"); home != "" {
		return filepath.Join(append([]string{home}, below...)...)
	}
	return ""
}

// files gives those that the patterns match, each once.
func files(agent string, patterns ...string) []File {
	var list []File
	seen := map[string]bool{}
	for _, p := range patterns {
		paths, _ := filepath.Glob(p) // a pattern that is none matches nothing
		for _, path := range paths {
			fi, err := os.Stat(path)
			if err == nil && fi.Mode().IsRegular() && !seen[path] {
				seen[path] = true
				list = append(list, File{Agent: agent, Path: path, Size: fi.Size()})
			}
		}
	}
	return list
}

// quoted keeps a folder from being a pattern.
func quoted(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// slug is a folder's name as Claude Code and Qwen Code write it: what is no
// letter or digit is a dash, one for each unit of UTF-16.
func slug(dir string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(dir)) {
		if u < 0x80 && (u >= '0' && u <= '9' || u >= 'a' && u <= 'z' || u >= 'A' && u <= 'Z') {
			b.WriteByte(byte(u))
		} else {
			b.WriteByte('-')
		}
	}
	return b.String()
}

func findClaude(_ context.Context, w Where) []File {
	roots := strings.Split(w.Getenv("CLAUDE_CONFIG_DIR"), ",")
	if roots[0] == "" {
		roots = []string{w.home("", ".claude"), w.home("XDG_CONFIG_HOME", ".config") + "/claude"}
	}
	var patterns []string
	for _, root := range roots {
		for _, dir := range w.Dirs {
			if filepath.IsAbs(root) {
				kept := filepath.Join(quoted(root), "projects", slug(dir))
				patterns = append(patterns, filepath.Join(kept, "*.jsonl"), filepath.Join(kept, "*", "subagents", sidePrefix+"*.jsonl"))
			}
		}
	}
	list := files("claude", patterns...)
	for i := range list {
		list[i].Side = isSide(list[i].Path)
	}
	return list
}

// findCodex looks into the first line of every rollout: they are kept by date.
func findCodex(ctx context.Context, w Where) []File {
	home := quoted(w.home("CODEX_HOME", ".codex"))
	list := files("codex", filepath.Join(home, "sessions", "*", "*", "*", "rollout-*.jsonl"), filepath.Join(home, "archived_sessions", "rollout-*.jsonl"))
	return slices.DeleteFunc(list, func(f File) bool { return !workedIn(ctx, f, w.Dirs) })
}

func findCopilot(ctx context.Context, w Where) []File {
	list := files("copilot", filepath.Join(quoted(w.home("", ".copilot")), "session-state", "*", "events.jsonl"))
	return slices.DeleteFunc(list, func(f File) bool { return !workedIn(ctx, f, w.Dirs) })
}

// workedIn reads the start of a transcript, until its folder is known.
func workedIn(ctx context.Context, f File, dirs []string) bool {
	r, err := os.Open(f.Path)
	if err != nil {
		return false
	}
	defer func() { _ = r.Close() }() // it was only read
	const start = 1 << 20
	m, err := Read(ctx, f.Agent, io.LimitReader(r, start), Options{}, func(*audit.Entry) {})
	return err == nil && m.Dir != "" && within(dirs, m.Dir)
}

// findGemini knows folders by the hash of the project's path.
func findGemini(_ context.Context, w Where) []File {
	root := w.home("GEMINI_CLI_HOME")
	if root == "" {
		return nil
	}
	var hashes, patterns []string
	for _, dir := range w.Dirs {
		sum := sha256.Sum256([]byte(dir))
		hashes = append(hashes, hex.EncodeToString(sum[:]))
	}
	tmp := filepath.Join(quoted(root), ".gemini", "tmp")
	patterns = append(patterns, filepath.Join(tmp, "*", "chats", "session-*.jsonl"))
	return slices.DeleteFunc(files("gemini", patterns...), func(f File) bool { return !hashIn(f.Path, hashes) })
}

// hashIn looks at the folder's name and the header of the file.
func hashIn(path string, hashes []string) bool {
	if slices.Contains(hashes, filepath.Base(filepath.Dir(filepath.Dir(path)))) {
		return true
	}
	r, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = r.Close() }() // it was only read
	l, err := newLines(r)
	if err != nil {
		return false
	}
	line, err := l.next()
	var header struct {
		Hash string `json:"projectHash"`
	}
	return err == nil && decode(line, &header) && slices.Contains(hashes, header.Hash)
}

func findQwen(_ context.Context, w Where) []File {
	var patterns []string
	for _, dir := range w.Dirs {
		patterns = append(patterns, filepath.Join(quoted(w.home("", ".qwen")), "projects", slug(dir), "chats", "*.jsonl"))
	}
	return files("qwen", patterns...)
}

func findPi(_ context.Context, w Where) []File {
	root := quoted(w.home("PI_CODING_AGENT_DIR", ".pi", "agent"))
	var patterns []string
	for _, dir := range w.Dirs {
		name := "--" + strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(strings.TrimPrefix(dir, "/")) + "--"
		patterns = append(patterns, filepath.Join(root, "sessions", quoted(name), "*.jsonl"))
	}
	return files("pi", patterns...)
}

func findOpenCode(ctx context.Context, w Where) []File {
	path := filepath.Join(w.home("XDG_DATA_HOME", ".local", "share"), "opencode", "opencode.db")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	list, err := ofDatabase(ctx, path, w.Dirs)
	if err != nil {
		return nil
	}
	return list
}

func findAider(_ context.Context, w Where) []File {
	var patterns []string
	if file := w.Getenv("AIDER_CHAT_HISTORY_FILE"); filepath.IsAbs(file) {
		patterns = append(patterns, quoted(file))
	}
	for _, dir := range w.Dirs {
		patterns = append(patterns, filepath.Join(quoted(dir), ".aider.chat.history.md"))
	}
	return files("aider", patterns...)
}
