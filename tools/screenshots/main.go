// Command screenshots makes the pictures of the documentation: it builds Kedge, has
// it work, and draws what it printed. It owns docs/pictures and promises that every
// character in them was printed by Kedge, the prompts excepted. The agent is the
// scripted one of kedge demo, and the transcripts of the audit are made up (sample.go);
// what Kedge says about them is real.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"kedge/internal/insight/transcript"
)

const (
	columns = 124 // of every picture: what is wider breaks, as in a terminal
	places  = "docs/pictures"
)

func main() {
	if err := pictures(); err != nil {
		fmt.Fprintln(os.Stderr, "screenshots:", err)
		os.Exit(1)
	}
}

func pictures() error {
	scratch, err := os.MkdirTemp("", "shots")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	s := stage{dir: scratch}
	defer s.endSessions()
	if err := s.build(); err != nil {
		return err
	}
	if err := os.MkdirAll(places, 0o755); err != nil {
		return err
	}
	for _, p := range []struct {
		name string
		make func(stage) (picture, error)
	}{{"audit", auditPicture}, {"run", runPicture}} {
		pic, err := p.make(s)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err := save(p.name, pic); err != nil {
			return err
		}
	}
	return nil
}

// maxSize keeps pictures small enough for a page.
const maxSize = 60_000

func save(name string, p picture) error {
	svg := p.svg()
	if len(svg) > maxSize {
		return fmt.Errorf("%s.svg has %d bytes, more than %d", name, len(svg), maxSize)
	}
	path := filepath.Join(places, name+".svg")
	fmt.Printf("%s  %d bytes\n", path, len(svg))
	return os.WriteFile(path, []byte(svg), 0o644)
}

// auditPicture is what kedge audit says about the sample, laid where Claude Code keeps its
// transcripts.
func auditPicture(s stage) (picture, error) {
	dir, err := filepath.EvalSymlinks(s.path("p"))
	if err != nil {
		return picture{}, err
	}
	kept := filepath.Join(s.path("claude"), "projects", transcript.Slug(dir))
	if err := os.MkdirAll(kept, 0o700); err != nil {
		return picture{}, err
	}
	for _, t := range talks() {
		if err := os.WriteFile(filepath.Join(kept, t.id+".jsonl"), sample(t), 0o600); err != nil {
			return picture{}, err
		}
	}
	out, err := s.kedge("audit")
	if err != nil {
		return picture{}, err
	}
	t := newScreen(columns)
	t.write(out)
	return picture{title: "what kedge audit says about four sample sessions", windows: []window{
		{title: "kedge audit", prompt: "kedge audit", rows: t.rows()},
	}}, nil
}

// runPicture is a run while it works, when a lie has just been caught, and the whole
// story that kedge demo tells about it.
func runPicture(s stage) (picture, error) {
	watched, story, err := s.demo(append(sizes, size{columns, 30})...)
	if err != nil {
		return picture{}, err
	}
	if err := s.screens(watched); err != nil {
		return picture{}, err
	}
	frame, ok := caught(frames(watched[size{columns, 30}], columns))
	if !ok {
		return picture{}, fmt.Errorf("no drawing of the run shows a claim that was false")
	}
	whole := newScreen(columns)
	whole.write(withoutFolders(story))
	return picture{title: "a run while it works, and the whole story of kedge demo", windows: []window{
		{title: "a run, while it works", prompt: "kedge run", rows: frame},
		{title: "the whole story", prompt: "kedge demo --features " + features, rows: whole.rows()},
	}}, nil
}

// caught is the first drawing with the most lines that shows a weakened test or a
// false claim.
func caught(frames [][][]cell) (frame [][]cell, ok bool) {
	for _, f := range frames {
		shown := text(f)
		if (strings.Contains(shown, "is now skipped") || strings.Contains(shown, "checked: red")) && len(f) > len(frame) {
			frame = f
		}
	}
	return frame, frame != nil
}

// withoutFolders is the demo's story without its last line, which tells how to call
// Kedge by its name and has a folder of this machine in it.
func withoutFolders(story string) string {
	story, _, _ = strings.Cut(story, "to find this program")
	return story
}
