package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// How long the transcripts of the group look are.
var (
	auditBytes = sized(200<<20, 4<<20)
	hugeBytes  = sized(1<<30, 16<<20)
	briefBytes = sized(4<<20, 1<<20)
)

// auditMemory is what an audit may take of it, in KB.
const auditMemory = 100 << 10

// looker is Kedge with nothing set up: looking back needs neither a project nor
// a daemon.
type looker struct {
	kedge, dir string
	env        []string
}

func newLooker(dir string) (looker, error) {
	kedge, _, err := buildBoth(dir)
	if err != nil {
		return looker{}, err
	}
	abs := filepath.Dir(kedge)
	home := filepath.Join(abs, "none")
	env := append(os.Environ(), "HOME="+home, "KEDGE_HOME="+filepath.Join(home, "kedge"), "KEDGE_PROJECT=", "KEDGE_SESSION=")
	return looker{kedge: kedge, dir: abs, env: env}, os.MkdirAll(home, 0o700)
}

// takes is how long a command takes, whatever it prints.
func (l looker) takes(args ...string) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		return timed(func() error {
			c := command(l.dir, l.env, args...)
			var talk strings.Builder
			c.Stderr = &talk
			if err := c.Run(); err != nil {
				return fmt.Errorf("%v: %w\n%s", args, err, talk.String())
			}
			return nil
		})
	}
}

// benchAudit compares the audit of a long transcript with the program that
// people look into such files with, which does no more than to read and to write
// it.
func benchAudit(dir string) ([]result, error) {
	jq, err := exec.LookPath("jq")
	if err != nil {
		return nil, err
	}
	l, err := newLooker(dir)
	if err != nil {
		return nil, err
	}
	file, err := transcriptFile(dir, auditBytes)
	if err != nil {
		return nil, err
	}
	a, b, err := interleave(l.takes(l.kedge, "audit", "--json", file), l.takes(jq, "-c", ".", file))
	if err != nil {
		return nil, err
	}
	ratio := b.Seconds() / a.Seconds()
	name := fmt.Sprintf("audit of a transcript of %d MB; jq -c .", auditBytes>>20)
	return []result{{name, rate(auditBytes, a), rate(auditBytes, b), ratio, ">= 10", ratio >= 10}}, nil
}

// benchAuditMemory measures the largest memory of an audit, beside what it may
// take.
func benchAuditMemory(dir string) ([]result, error) {
	l, err := newLooker(dir)
	if err != nil {
		return nil, err
	}
	file, err := transcriptFile(dir, hugeBytes)
	if err != nil {
		return nil, err
	}
	// A process inherits the peak of the one that starts it, and this one may have
	// had much; one that has had nothing starts it.
	out, err := command(l.dir, l.env, self(), "play", "peak", l.kedge, "audit", "--json", file).Output()
	if err != nil {
		return nil, fmt.Errorf("the peak of an audit: %w", err)
	}
	kb, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if err != nil {
		return nil, err
	}
	ratio := float64(kb) / auditMemory
	name := fmt.Sprintf("peak memory of an audit of %d MB; its limit", hugeBytes>>20)
	mb := func(kb int64) string { return fmt.Sprintf("%.0f MB", float64(kb)/(1<<10)) }
	return []result{{name, mb(kb), mb(auditMemory), ratio, "<= 1", ratio <= 1}}, nil
}

// benchBrief compares a brief of a transcript with reading and writing it alone.
func benchBrief(dir string) ([]result, error) {
	jq, err := exec.LookPath("jq")
	if err != nil {
		return nil, err
	}
	l, err := newLooker(dir)
	if err != nil {
		return nil, err
	}
	file, err := transcriptFile(dir, briefBytes)
	if err != nil {
		return nil, err
	}
	a, b, err := interleave(l.takes(l.kedge, "brief", "--json", "--transcript", file), l.takes(jq, "-c", ".", file))
	if err != nil {
		return nil, err
	}
	return []result{against(fmt.Sprintf("a brief of a transcript of %d MB; jq -c .", briefBytes>>20), a, b, 1)}, nil
}

// playPeak runs a command and prints the largest memory that it had, in KB.
func playPeak(args []string) error {
	c := exec.Command(args[0], args[1:]...)
	if err := c.Run(); err != nil {
		return err
	}
	used, ok := c.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return fmt.Errorf("the system does not say what %s used", args[0])
	}
	kb := used.Maxrss
	if runtime.GOOS == "darwin" {
		kb >>= 10 // bytes there
	}
	_, err := fmt.Println(kb)
	return err
}
