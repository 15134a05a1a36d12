package ledger_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
	"kedge/internal/cli"
	"kedge/internal/cli/frame"
)

// execHere runs kedge exec with a shell's script and gives its exit code.
func execHere(t *testing.T, home string, in string, args ...string) (code int, out, talk string) {
	t.Helper()
	var o, e bytes.Buffer
	code = cli.Main(t.Context(), frame.Env{
		Args: append([]string{"exec"}, args...), In: strings.NewReader(in), Out: &o, Err: &e, Home: home, Dir: t.TempDir(),
		Environ: append(os.Environ(), "KEDGE_SESSION=ses-01h00000000000000000000000"),
	})
	return code, o.String(), e.String()
}

func TestExecIsTheCommand(t *testing.T) {
	home := t.TempDir()
	plain := filepath.Join(home, "plain")
	if err := os.WriteFile(plain, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		args []string
		code int
		out  string
	}{
		{"its output, bytes as they are", []string{"--", "printf", `a\033[1mb\n`}, 0, "a\033[1mb\n"},
		{"its input", []string{"--", "cat"}, 0, "typed"},
		{"its exit code", []string{"--", "sh", "-c", "echo out; echo err >&2; exit 7"}, 7, "out\nerr\n"},
		{"its options", []string{"sh", "-c", "echo $0", "--raw"}, 0, "--raw\n"},
		{"ended by a signal", []string{"--", "sh", "-c", "kill -TERM $$"}, 143, ""},
		{"not there", []string{"--", "no-such-program-here"}, 127, "kedge: no-such-program-here: command not found\n"},
		{"not a program", []string{"--", plain}, 126, "kedge: " + plain + ": permission denied\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, talk := execHere(t, home, "typed", c.args...)
			if code != c.code || out != c.out || talk != "" {
				t.Errorf("code %d, out %q, said %q", code, out, talk)
			}
		})
	}
	code, out, talk := execHere(t, home, "", "--raw", "--", "sh", "-c", "echo out; echo err >&2; exit 3")
	if code != 3 || out != "out\n" || talk != "err\n" {
		t.Errorf("raw: code %d, out %q, err %q", code, out, talk)
	}
	if code, _, talk := execHere(t, home, ""); code != 2 || !strings.Contains(talk, "next: write it like this: kedge exec -- ") {
		t.Errorf("without a command: code %d, said %q", code, talk)
	}
}

// TestRow23OutputIsReplacedByAPointer: of a long output what matters is printed,
// with where the whole of it is; and there it is.
func TestRow23OutputIsReplacedByAPointer(t *testing.T) {
	home := t.TempDir()
	script := "i=0; while [ $i -lt 500 ]; do i=$((i+1)); echo \"ok $i\"; done; echo 'a.c:3: error: broken'; exit 1"
	code, out, _ := execHere(t, home, "", "--", "sh", "-c", script)
	if code != 1 || strings.Count(out, "\n") > 20 || !strings.Contains(out, "a.c:3: error: broken\n") || strings.Contains(out, "ok 250\n") {
		t.Fatalf("code %d, printed %q", code, out)
	}
	_, id, ok := strings.Cut(strings.TrimSuffix(out, "]\n"), "\n[all of it: kedge logs ")
	if !ok {
		t.Fatalf("it does not say where the rest is: %q", out)
	}
	var whole bytes.Buffer
	if code := cli.Main(t.Context(), frame.Env{Args: []string{"logs", id}, Out: &whole, Err: &whole, Home: home}); code != 0 {
		t.Fatalf("logs: code %d, %s", code, whole.String())
	}
	if strings.Count(whole.String(), "\n") != 501 || !strings.Contains(whole.String(), "ok 250\n") {
		t.Errorf("kept are %d bytes", whole.Len())
	}
	if code := cli.Main(t.Context(), frame.Env{Args: []string{"logs", "exec-" + strings.Repeat("0", 26)}, Out: &whole, Err: &whole, Home: home}); code != 3 {
		t.Errorf("an output that is not there: code %d", code)
	}
}

func TestExecJSON(t *testing.T) {
	home := t.TempDir()
	code, out, talk := execHere(t, home, "", "--json", "--", "sh", "-c", "echo 'a.c:3: error: broken'; exit 9")
	var got struct {
		Exit, Lines, Shown, Bytes int
		Cut                       []any
		FirstFailure              *kedge.Failure `json:"first_failure"`
		Log, Text                 string
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 9 || talk != "" {
		t.Fatalf("code %d, %v, %s%s", code, err, out, talk)
	}
	if got.Exit != 9 || got.Lines != 1 || got.Shown != 1 || got.Cut == nil || got.Bytes != 21 || got.FirstFailure == nil || got.FirstFailure.File != "a.c" || got.Text != "a.c:3: error: broken\n" {
		t.Errorf("%s", out)
	}
	record, err := os.ReadFile(filepath.Join(filepath.Dir(got.Log), "exec.json"))
	if err != nil || !strings.Contains(string(record), `"session": "ses-01h00000000000000000000000"`) {
		t.Errorf("%s, %v", record, err)
	}
	info, err := os.Stat(got.Log)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the output has the mode %v, %v", info.Mode(), err)
	}
	if code, _, _ := execHere(t, home, "", "--raw", "--json", "--", "true"); code != 2 {
		t.Errorf("--raw --json: code %d", code)
	}
}

// TestExecAnswersThoughNothingIsKept: the output is shown and the exit code is the
// command's where the output cannot be kept; that is said on stderr.
func TestExecAnswersThoughNothingIsKept(t *testing.T) {
	for _, format := range []string{"--json=false", "--json"} {
		home := t.TempDir()
		// A folder in the place of the output makes keeping it fail, for root as well.
		script := "cd " + home + "/exec/* && mkdir -p output/x && echo here; exit 7"
		code, out, talk := execHere(t, home, "", format, "--", "sh", "-c", script)
		if code != 7 || !strings.Contains(out, "here") || !strings.Contains(talk, "kedge: cannot save the output of the command: ") {
			t.Errorf("%s: code %d, out %q, said %q", format, code, out, talk)
		}
		code, out, talk = execHere(t, home, "", format, "--", "echo", "again")
		if code != 0 || !strings.Contains(out, "again") || talk != "" {
			t.Errorf("%s, the next: code %d, out %q, said %q", format, code, out, talk)
		}
	}
}
