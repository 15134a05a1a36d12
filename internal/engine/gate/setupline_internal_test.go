package gate

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"kedge/internal/process"
)

// TestTellerCutsLines: an output that grows is told line by line, each once.
func TestTellerCutsLines(t *testing.T) {
	for name, of := range map[string]struct {
		parts []string // as they are printed, the last at the end
		want  []string
	}{
		"whole lines":     {[]string{"a\nb\n"}, []string{"a", "b"}},
		"a line in parts": {[]string{"a", "b\nc", "\n"}, []string{"ab", "c"}},
		"no last feed":    {[]string{"a\nb"}, []string{"a", "b"}},
		"of a terminal":   {[]string{"a\r\nb\r\n"}, []string{"a", "b"}},
		"a progress bar":  {[]string{"1%\r2%\r", "100%\r\ndone\n"}, []string{"100%", "done"}},
		"nothing":         {[]string{""}, nil},
		"an empty line":   {[]string{"a\n\nb\n"}, []string{"a", "", "b"}},
	} {
		log := filepath.Join(t.TempDir(), SetupLog)
		var teller teller
		var got []string
		for i, part := range of.parts {
			f, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString(part); err != nil {
				t.Fatal(err)
			}
			_ = f.Close()
			teller.read(log)
			teller.tell(func(line string) { got = append(got, line) }, i == len(of.parts)-1)
		}
		if !slices.Equal(got, of.want) {
			t.Errorf("%s: told %q, want %q", name, got, of.want)
		}
	}
}

func FuzzTeller(f *testing.F) {
	f.Add("a\r\nb", 2)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		cut = min(max(cut, 0), len(text))
		log := filepath.Join(t.TempDir(), SetupLog)
		var teller teller
		told := 0
		for i, until := range []int{cut, len(text)} {
			if err := os.WriteFile(log, []byte(text[:until]), 0o600); err != nil {
				t.Fatal(err)
			}
			teller.read(log)
			teller.tell(func(line string) {
				told++
				if strings.Contains(line, "\n") || !strings.Contains(text, line) {
					t.Errorf("%q is no line of %q", line, text)
				}
			}, i == 1)
		}
		want := strings.Count(text, "\n")
		if text != "" && !strings.HasSuffix(text, "\n") {
			want++
		}
		if told != want {
			t.Errorf("%d lines of %q are told, want %d", told, text, want)
		}
	})
}

// TestSetupLineTellsAndEnds: what a set-up prints is told, and a caller who goes away
// ends it.
func TestSetupLineTellsAndEnds(t *testing.T) {
	var told []string
	s := SetupLine{Dir: t.TempDir(), Logs: filepath.Join(t.TempDir(), "logs"), Env: os.Environ(), Tell: func(line string) { told = append(told, line) }}
	res, log, err := s.Run(t.Context(), "echo one; echo two >&2; exit 3")
	if err != nil || res.End != process.Exited || res.Exit != 3 || !slices.Equal(told, []string{"one", "two"}) {
		t.Errorf("%+v, %v, told %q", res, err, told)
	}
	if why := lineFailure("setup", "line", log, res); !strings.HasPrefix(why, `the setup "line" failed: `) || !strings.HasSuffix(why, "(log: "+log+")") {
		t.Errorf("it says %q", why)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.Tell = func(string) { cancel() }
	if _, _, err := s.Run(ctx, "echo begun; sleep 1000"); err == nil {
		t.Error("nobody waits for it, and it is no error")
	}
}

// TestSessionPort: no two sessions have one port, and gates choose none of them.
func TestSessionPort(t *testing.T) {
	first, err := SessionPort(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	second, err := SessionPort(t.Context(), []int{first})
	if err != nil || second == first {
		t.Errorf("the second port is %d, %v", second, err)
	}
	// Where another program takes it first, it is in use as well.
	if l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(second))); err == nil {
		defer func() { _ = l.Close() }()
	}
	if third, err := SessionPort(t.Context(), []int{first}); err != nil || third == second || third < lastPort {
		t.Errorf("with %d in use it gives %d, %v", second, third, err)
	}
	var all []int
	for p := firstSessionPort; p < lastSessionPort; p++ {
		all = append(all, p)
	}
	if _, err := SessionPort(t.Context(), all); err == nil {
		t.Error("there was a port left")
	}
}
