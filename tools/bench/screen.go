package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"kedge/internal/screen/vt"
)

// screenBytes is how much is fed to a terminal, and screenPiece how much at once.
var screenBytes = sized(32<<20, 1<<20)

const (
	screenPiece = 64 << 10
	screenCols  = 100
	screenRows  = 30
)

// xtermVersion is the version of @xterm/headless that is measured.
const xtermVersion = "6.0.0"

// feedXterm feeds a file to it and prints the microseconds of processor time that took.
const feedXterm = `
const { Terminal } = require('@xterm/headless');
const [file, piece, cols, rows] = process.argv.slice(2);
const feed = require('fs').readFileSync(file);
const t = new Terminal({ cols: +cols, rows: +rows, scrollback: 0, allowProposedApi: true });
const write = (b) => new Promise((done) => t.write(b, done));
(async () => {
  const start = process.cpuUsage();
  for (let at = 0; at < feed.length; at += +piece) await write(feed.subarray(at, at + +piece));
  const used = process.cpuUsage(start);
  console.log(used.user + used.system);
})();
`

// benchScreen compares the model of a terminal with xterm.js in what a second of
// processor time brings, both without lines that have left the screen.
func benchScreen(dir string) ([]result, error) {
	peer, err := installXterm(dir)
	if err != nil {
		return nil, err
	}
	files, err := screenFeeds(dir)
	if err != nil {
		return nil, err
	}
	var results []result
	for _, f := range files {
		ours := func() (time.Duration, error) { return processorTime(self(), "play", "screen", f.path) }
		theirs := func() (time.Duration, error) {
			return processorTime("node", peer, f.path, strconv.Itoa(screenPiece), strconv.Itoa(screenCols), strconv.Itoa(screenRows))
		}
		a, b, err := interleave(ours, theirs)
		if err != nil {
			return results, err
		}
		rate := func(d time.Duration) string { return fmt.Sprintf("%.0f MB/s", float64(f.size)/(1<<20)/d.Seconds()) }
		ratio := b.Seconds() / a.Seconds()
		name := fmt.Sprintf("screen, %s, per CPU-second; @xterm/headless", f.name)
		results = append(results, result{name, rate(a), rate(b), ratio, ">= 3", ratio >= 3})
	}
	return results, nil
}

// installXterm gets the peer from npm; it gives the script that feeds it.
func installXterm(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if out, err := exec.Command("npm", "install", "--no-audit", "--no-fund", "--prefix", abs, "@xterm/headless@"+xtermVersion).CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm: %w\n%s", err, out)
	}
	script := filepath.Join(abs, "feed.cjs")
	return script, os.WriteFile(script, []byte(feedXterm), 0o600)
}

// processorTime runs a program that prints the microseconds that it measured.
func processorTime(name string, args ...string) (time.Duration, error) {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	us, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	return time.Duration(us) * time.Microsecond, err
}

// screenFeed is what a terminal is fed with.
type screenFeed struct {
	name, path string
	size       int
}

// screenFeeds are plain text, and recordings of full-screen programs again and again.
func screenFeeds(dir string) ([]screenFeed, error) {
	var text bytes.Buffer
	for i := 0; text.Len() < screenBytes; i++ {
		fmt.Fprintf(&text, "%08d worker %d handled GET /api/items/%d in %d ms\r\n", i, i%16, i*7919, i%977)
	}
	feeds := []struct {
		name string
		b    []byte
	}{{"plain text", text.Bytes()}}
	for _, name := range []string{"vim", "codex", "gemini"} {
		b, err := recordingOf(name)
		if err != nil {
			return nil, err
		}
		feeds = append(feeds, struct {
			name string
			b    []byte
		}{name + " recorded", bytes.Repeat(b, max(screenBytes/4/len(b), 1))})
	}
	var out []screenFeed
	for i, f := range feeds {
		path := filepath.Join(dir, fmt.Sprintf("feed%d", i))
		if err := os.WriteFile(path, f.b, 0o600); err != nil {
			return nil, err
		}
		out = append(out, screenFeed{f.name, path, len(f.b)})
	}
	return out, nil
}

// recordingOf is what a program wrote, as the tests of package vt have it.
func recordingOf(name string) ([]byte, error) {
	f, err := os.Open(filepath.FromSlash("internal/screen/vt/testdata/recordings.tar.gz"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err != nil {
			return nil, fmt.Errorf("the recording of %s: %w", name, err)
		}
		if strings.TrimPrefix(h.Name, "./") == name+".raw" {
			return io.ReadAll(r)
		}
	}
}

// playScreen feeds a file to the model and prints the processor time that took.
func playScreen(file string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	t := vt.New(screenCols, screenRows)
	start := usedProcessor()
	for at := 0; at < len(b); at += screenPiece {
		if _, err := t.Write(b[at:min(at+screenPiece, len(b))]); err != nil {
			return err
		}
	}
	_, err = fmt.Println(max((usedProcessor() - start).Microseconds(), 1))
	return err
}

// usedProcessor is the processor time that this program has used.
func usedProcessor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
