package main

import (
	"bytes"
	"compress/gzip"
	"crypto/md5" //nolint:gosec // names files, protects nothing
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// How often the sessions of the corpus stand in the home of the group usage: about 1.1 GB.
var usageTimes = sized(40, 2)

// usageRounds is how often each is measured: they take seconds.
const usageRounds = 3

// The goals beside the counter that people use: not slower, in a quarter of its memory, and
// the same money.
const (
	usageMemory = 0.25
	usageMoney  = 0.001
	usageNested = 0.03 // of the money, which is that of replies to sub-agents; ccusage's sessions leave them out
)

// counter is a program that counts what sessions used: how long it takes, how much memory,
// and the money that it finds.
type counter struct {
	argv []string
	usd  func(out []byte) (float64, error)
	less float64 // of the money, at most, which it leaves out
}

// benchUsage compares cost and audit with ccusage, over the sessions of the corpus repeated
// with fresh ids.
func benchUsage(dir string) ([]result, error) {
	paths, err := corpus()
	if err != nil || len(paths) == 0 {
		fmt.Fprintln(os.Stderr, "bench usage: left out: KEDGE_CORPUS names no folder with real sessions of Claude Code (*.jsonl.gz)")
		return nil, nil
	}
	peer, err := ccusage(dir)
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench usage: left out: ccusage cannot be installed; KEDGE_CCUSAGE may name it: %v\n", err)
		return nil, nil
	}
	l, err := newLooker(dir)
	if err != nil {
		return nil, err
	}
	home := filepath.Join(l.dir, "none")
	files, size, err := growCorpus(paths, home)
	if err != nil {
		return nil, err
	}
	of := fmt.Sprintf(" of %d MB", size>>20)
	ours, theirs := totalUSD("total", "usd"), totalUSD("totals", "totalCost")
	var results []result
	for _, c := range []struct {
		name         string
		ours, theirs counter
	}{
		{"cost", counter{[]string{l.kedge, "cost", "--all", "--by", "day", "--json"}, ours, 0}, counter{[]string{peer, "claude", "daily", "--offline", "--json"}, theirs, usageMoney}},
		{"audit", counter{append([]string{l.kedge, "audit", "--json"}, files...), ours, 0}, counter{[]string{peer, "claude", "session", "--offline", "--json"}, theirs, usageNested}},
	} {
		list, err := l.against(c.name+of, c.ours, c.theirs)
		if err != nil {
			return results, err
		}
		results = append(results, list...)
	}
	return results, nil
}

// corpus are the real sessions: those in the folder that KEDGE_CORPUS names, else those that
// lie beside the repository.
func corpus() ([]string, error) {
	dir := first(os.Getenv("KEDGE_CORPUS"), filepath.Join("..", "shared", "corpus"))
	return filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
}

// against measures two counters in turn.
func (l looker) against(name string, ours, theirs counter) ([]result, error) {
	var times, memory [2][]float64
	var usd [2]float64
	for range usageRounds {
		for i, c := range []counter{ours, theirs} {
			took, kb, out, err := l.measured(c.argv)
			if err != nil {
				return nil, err
			}
			times[i], memory[i] = append(times[i], took.Seconds()), append(memory[i], kb)
			if usd[i], err = c.usd(out); err != nil {
				return nil, err
			}
		}
	}
	mid := func(list []float64) float64 {
		slices.Sort(list)
		return list[len(list)/2]
	}
	took, used := mid(times[0])/mid(times[1]), mid(memory[0])/mid(memory[1])
	same := usd[0] / usd[1]
	seconds := func(s float64) string { return short(time.Duration(s * float64(time.Second))) }
	mb := func(kb float64) string { return fmt.Sprintf("%.0f MB", kb/1024) }
	return []result{
		{name + "; ccusage", seconds(mid(times[0])), seconds(mid(times[1])), took, "<= 1", took <= 1},
		{name + ", memory", mb(mid(memory[0])), mb(mid(memory[1])), used, "<= 0.25", used <= usageMemory},
		{name + ", USD", fmt.Sprintf("%.2f", usd[0]), fmt.Sprintf("%.2f", usd[1]), same, fmt.Sprintf("<= %.3f", 1+theirs.less), same-1 <= theirs.less && same-1 >= -usageMoney},
	}, nil
}

// measured runs a command, and gives how long it took, the memory that it had at most, in
// KB, and what it printed.
func (l looker) measured(argv []string) (time.Duration, float64, []byte, error) {
	c := command(l.dir, append(l.env, "TZ=UTC"), argv...)
	var out, talk bytes.Buffer
	c.Stdout, c.Stderr = &out, &talk
	took, err := timed(c.Run)
	if err != nil {
		return 0, 0, nil, fmt.Errorf("%v: %w\n%s", argv[:min(len(argv), 5)], err, talk.String())
	}
	peak, err := command(l.dir, append(l.env, "TZ=UTC"), append([]string{self(), "play", "peak"}, argv...)...).Output()
	if err != nil {
		return 0, 0, nil, fmt.Errorf("the peak of %v: %w", argv[:min(len(argv), 5)], err)
	}
	kb, err := strconv.ParseFloat(strings.TrimSpace(string(peak)), 64)
	return took, kb, out.Bytes(), err
}

// totalUSD reads a sum out of an answer.
func totalUSD(object, field string) func([]byte) (float64, error) {
	return func(out []byte) (float64, error) {
		var all map[string]json.RawMessage
		var sum map[string]any
		if err := json.Unmarshal(out, &all); err != nil {
			return 0, err
		}
		if err := json.Unmarshal(all[object], &sum); err != nil {
			return 0, err
		}
		usd, ok := sum[field].(float64)
		if !ok {
			return 0, fmt.Errorf("no %s.%s in what it printed", object, field)
		}
		return usd, nil
	}
}

// ccusage is the program: the one that KEDGE_CCUSAGE names, else its newest, installed into
// a folder.
func ccusage(dir string) (string, error) {
	if path := os.Getenv("KEDGE_CCUSAGE"); path != "" {
		return path, nil
	}
	arch := map[string]string{"amd64": "x64"}[runtime.GOARCH]
	native := "@ccusage/ccusage-" + runtime.GOOS + "-" + first(arch, runtime.GOARCH)
	to, err := filepath.Abs(filepath.Join(dir, "npm"))
	if err != nil {
		return "", err
	}
	out, err := exec.Command("npm", "install", "--no-audit", "--no-fund", "--prefix", to, "ccusage", native).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return filepath.Join(to, "node_modules", ".bin", "ccusage"), nil
}

var (
	corpusDir     = regexp.MustCompile(`"cwd":"([^"]+)"`)
	corpusSession = regexp.MustCompile(`"sessionId":"([^"]+)"`)
	corpusIDs     = regexp.MustCompile(`"(msg_|req_)([0-9A-Za-z]{8})`)
)

// growCorpus lays the sessions where Claude Code keeps its transcripts, many times over,
// with ids of their own.
func growCorpus(paths []string, home string) (files []string, size int64, err error) {
	for _, path := range paths {
		text, err := unpackedFile(path)
		if err != nil {
			return nil, 0, err
		}
		dir, id := corpusDir.FindSubmatch(text), corpusSession.FindSubmatch(text)
		if dir == nil || id == nil {
			return nil, 0, fmt.Errorf("%s does not say where it worked", path)
		}
		to := filepath.Join(home, ".claude", "projects", regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(string(dir[1]), "-"))
		if err := os.MkdirAll(to, 0o700); err != nil {
			return nil, 0, err
		}
		for i := range usageTimes {
			sum := fmt.Sprintf("%x", md5.Sum(fmt.Appendf(nil, "%s %d", id[1], i))) //nolint:gosec // as above
			fresh := strings.Join([]string{sum[:8], sum[8:12], sum[12:16], sum[16:20], sum[20:]}, "-")
			copied := bytes.ReplaceAll(text, id[1], []byte(fresh))
			copied = corpusIDs.ReplaceAllFunc(copied, func(m []byte) []byte { return fmt.Appendf(nil, "%s%04d%s", m[:5], i, m[5:9]) })
			name := filepath.Join(to, fresh+".jsonl")
			if err := os.WriteFile(name, copied, 0o600); err != nil {
				return nil, 0, err
			}
			files, size = append(files, name), size+int64(len(copied))
		}
	}
	return files, size, nil
}

func unpackedFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
