package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// searchBytes is how much stored output is searched.
var searchBytes = sized(1<<30, 16<<20)

// benchSearch compares a search of what a session printed with ripgrep on one
// file of the same bytes, which is what the goal is about; and, to tell how much of
// it is the way in which Kedge stores them, with ripgrep on the session's own files:
// the system gives out what was written at once faster than what came in pieces.
func benchSearch(dir string) ([]result, error) {
	rg, err := exec.LookPath("rg")
	if err != nil {
		return nil, err
	}
	kedge, _, err := buildBoth(dir)
	if err != nil {
		return nil, err
	}
	repo, env, err := project(dir, kedge)
	if err != nil {
		return nil, err
	}
	defer func() {
		endSessions(filepath.Join(filepath.Dir(repo), "home"))
		_ = command(repo, env, kedge, "down").Run() // best effort: the folder goes next
	}()
	file, err := logFile(dir, searchBytes)
	if err != nil {
		return nil, err
	}
	took := filepath.Join(filepath.Dir(file), "took")
	if out, err := command(repo, env, kedge, "new", "log", "--", self(), "play", "cat", file, took).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("kedge new: %w\n%s", err, out)
	}
	if _, err := awaitFile(took); err != nil {
		return nil, err
	}
	segments, err := storedSegments(filepath.Join(filepath.Dir(repo), "home"))
	if err != nil {
		return nil, err
	}
	copied, err := oneFile(segments, filepath.Join(filepath.Dir(file), "stored"))
	if err != nil {
		return nil, err
	}
	search := func(args ...string) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			return timed(func() error {
				out, err := command(repo, env, args...).Output()
				if err == nil && !strings.Contains(string(out), "needle") {
					err = fmt.Errorf("%s found nothing", args[0])
				}
				return err
			})
		}
	}
	ripgrep := func(text string, files ...string) func() (time.Duration, error) {
		return search(append([]string{rg, "--no-config", "-n", text}, files...)...)
	}
	var results []result
	for _, q := range []struct{ text, kind string }{{"the needle was found", "rare"}, {"worker handled in ms", "common"}} {
		a, b, err := interleave(search(kedge, "search", q.text), ripgrep(q.text, segments...))
		if err != nil {
			return results, err
		}
		ratio := a.Seconds() / b.Seconds()
		name := fmt.Sprintf("search of %d MB, %s letters; ripgrep", searchBytes>>20, q.kind)
		results = append(results, result{name + ", own files", short(a), short(b), ratio, "-", true})
		if a, b, err = interleave(search(kedge, "search", q.text), ripgrep(q.text, copied)); err != nil {
			return results, err
		}
		ratio = a.Seconds() / b.Seconds()
		results = append(results, result{name, short(a), short(b), ratio, "<= 1.5", ratio <= 1.5})
	}
	return results, nil
}

// storedSegments are the files of the one session's tape, in order.
func storedSegments(home string) ([]string, error) {
	found, err := filepath.Glob(filepath.Join(home, "sessions", "*", "log.*"))
	if err != nil {
		return nil, err
	}
	files := make([]string, len(found))
	for i := range files {
		files[i] = filepath.Join(filepath.Dir(found[0]), fmt.Sprintf("log.%d", i))
	}
	return files, nil
}

// oneFile puts the bytes of files into one.
func oneFile(files []string, to string) (string, error) {
	out, err := os.Create(to)
	if err != nil {
		return "", err
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err == nil {
			_, err = out.Write(b)
		}
		if err != nil {
			return "", err
		}
	}
	return to, out.Close()
}
