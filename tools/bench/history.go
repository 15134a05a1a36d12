package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// historyBytes is how much is searched.
var historyBytes = sized(1<<30, 16<<20)

// historyWord stands in some of the transcripts.
const historyWord = "per-file"

// benchHistory compares a first search, which makes the index, and a later one with a program
// that reads all transcripts each time (ripgrep, the Debian package of that name).
func benchHistory(dir string) ([]result, error) {
	rg, err := exec.LookPath("rg")
	if err != nil {
		return nil, err
	}
	l, err := newLooker(dir)
	if err != nil {
		return nil, err
	}
	home := filepath.Join(l.dir, "none")
	if err := pastConversations(filepath.Join(home, ".claude", "projects")); err != nil {
		return nil, err
	}
	state := filepath.Join(home, "kedge", "history")
	search := l.takes(l.kedge, "history", "--json", "where did we decide on per-file pools")
	first := func() (time.Duration, error) {
		if err := os.RemoveAll(state); err != nil {
			return 0, err
		}
		return search()
	}
	count := l.takes(rg, "--no-ignore", "--hidden", "-c", historyWord, home)
	if _, err := count(); err != nil { // once, so that both find the files in memory
		return nil, err
	}
	a, b, err := evenly(first, count)
	if err != nil {
		return nil, err
	}
	c, d, err := evenly(search, count)
	if err != nil {
		return nil, err
	}
	made, asked := a.Seconds()/b.Seconds(), c.Seconds()/d.Seconds()
	name := fmt.Sprintf("%d MB of transcripts; rg -c", historyBytes>>20)
	return []result{
		{"a first search of " + name, short(a), short(b), made, "<= 20", made <= 20},
		{"a search of " + name, short(c), short(d), asked, "<= 1", asked <= 1},
	}, nil
}

// pastConversations writes transcripts of Claude Code: real sessions where there are some,
// else an excerpt of one, again and again under ids of their own.
func pastConversations(dir string) error {
	sources, err := corpus()
	if len(sources) == 0 && err == nil {
		sources, err = filepath.Glob("internal/insight/history/testdata/*.jsonl")
	}
	if err != nil || len(sources) == 0 {
		return fmt.Errorf("no transcripts to begin with: %w", err)
	}
	var texts [][]byte
	for _, path := range sources {
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.HasSuffix(path, ".gz") {
			z, err := gzip.NewReader(bytes.NewReader(b))
			if err != nil {
				return err
			}
			if b, err = io.ReadAll(z); err != nil {
				return err
			}
		}
		texts = append(texts, b)
	}
	written := 0
	for n := 0; written < historyBytes; n++ {
		id := fmt.Sprintf("%08x-0000-4000-8000-%012x", n*2654435761&0xffffffff, n)
		text := withID(texts[n%len(texts)], id)
		path := filepath.Join(dir, fmt.Sprintf("-w-project%d", n%len(texts)), id+".jsonl")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return err
		}
		written += len(text)
	}
	return nil
}

var sessionID = regexp.MustCompile(`"sessionId":"([^"]+)"`)

// withID is a transcript as that of another session.
func withID(text []byte, id string) []byte {
	m := sessionID.FindSubmatch(text)
	if m == nil {
		return text
	}
	return bytes.ReplaceAll(text, m[1], []byte(id))
}
