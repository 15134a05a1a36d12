package daemon_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"kedge"
	"kedge/internal/server/daemon"
)

func TestF29HomeIsFound(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name string
		env  []string
		want string
	}{
		{"KEDGE_HOME wins", []string{"KEDGE_HOME", dir + "/a", "XDG_STATE_HOME", dir + "/x", "HOME", dir}, dir + "/a"},
		{"KEDGE_HOME is cleaned", []string{"KEDGE_HOME", dir + "/b/../c/"}, dir + "/c"},
		{"deep folders are made", []string{"KEDGE_HOME", dir + "/d/e/f"}, dir + "/d/e/f"},
		{"XDG", []string{"XDG_STATE_HOME", dir + "/x", "HOME", dir}, dir + "/x/kedge"},
		{"XDG alone", []string{"XDG_STATE_HOME", dir + "/y"}, dir + "/y/kedge"},
		{"XDG unset", []string{"HOME", dir}, dir + "/.local/state/kedge"},
		{"relative XDG is passed over", []string{"XDG_STATE_HOME", "x", "HOME", dir}, dir + "/.local/state/kedge"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := daemon.Home(env(c.env...))
			if err != nil || got != c.want {
				t.Fatalf("got %q, %v; want %q", got, err, c.want)
			}
			info, err := os.Stat(got)
			if err != nil || info.Mode() != os.ModeDir|0o700 {
				t.Errorf("made with mode %v, %v", info.Mode(), err)
			}
			if again, err := daemon.Home(env(c.env...)); err != nil || again != got {
				t.Errorf("a second time: %q, %v", again, err)
			}
		})
	}
}

func TestF29HomeIsRefused(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, nil, 0o600))
	open := filepath.Join(dir, "open")
	must(t, os.Mkdir(open, 0o700))
	must(t, os.WriteFile(filepath.Join(open, "theirs"), nil, 0o600))
	must(t, os.Chmod(open, 0o750))
	dangling := filepath.Join(dir, "dangling")
	must(t, os.Symlink(filepath.Join(dir, "nowhere"), dangling))
	for _, c := range []struct {
		name string
		env  []string
		says string
	}{
		{"nothing set", nil, "HOME"},
		{"relative HOME", []string{"HOME", "."}, "HOME"},
		{"relative KEDGE_HOME", []string{"KEDGE_HOME", "state", "HOME", dir}, `"state" is not an absolute path`},
		{"a file in its place", []string{"KEDGE_HOME", file}, file},
		{"a file on the way", []string{"KEDGE_HOME", file + "/deep"}, "not a directory"},
		{"open to the group", []string{"KEDGE_HOME", open}, "open to other users (mode 0750)"},
		{"a link to nowhere", []string{"KEDGE_HOME", dangling}, dangling},
		{"no room for a name", []string{"KEDGE_HOME", dir + "/" + strings.Repeat("n", 300)}, "too long"},
	} {
		t.Run(c.name, func(t *testing.T) { refused(t, c.says, env(c.env...)) })
	}
}

// What mkdir makes is taken as it is meant, once, and only while it is empty.
func TestClaim(t *testing.T) {
	for _, c := range []struct {
		name   string
		mode   os.FileMode
		inside string
		after  os.FileMode
		says   string
	}{
		{"empty and open", 0o755, "", 0o700, "(mode 0755)"},
		{"empty and open to write", 0o777, "", 0o700, "(mode 0777)"},
		{"empty and closed", 0o700, "", 0o700, ""},
		{"not empty", 0o755, "file", 0o755, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "home")
			must(t, os.Mkdir(dir, 0o700))
			if c.inside != "" {
				must(t, os.WriteFile(filepath.Join(dir, c.inside), nil, 0o600))
			}
			must(t, os.Chmod(dir, c.mode))
			said := daemon.Claim(env("KEDGE_HOME", dir))
			if (said == "") != (c.says == "") || !strings.Contains(said, c.says) {
				t.Errorf("it said %q", said)
			}
			if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != c.after {
				t.Errorf("the mode is %v, %v", info.Mode(), err)
			}
			if _, err := daemon.Home(env("KEDGE_HOME", dir)); (err == nil) != (c.after == 0o700) {
				t.Errorf("Home gave %v", err)
			}
			if again := daemon.Claim(env("KEDGE_HOME", dir)); again != "" {
				t.Errorf("the second time it said %q", again)
			}
		})
	}
}

func refused(t *testing.T, says string, env func(string) string) {
	t.Helper()
	_, err := daemon.Home(env)
	if !kedge.Invalid.Is(err) || !strings.Contains(err.Error(), says) {
		t.Fatalf("got %v (%s); want one that says %q", err, kedge.KindOf(err), says)
	}
	if kedge.HintOf(err) == "" {
		t.Errorf("%q says nothing of what to do", err)
	}
}

func TestF29HomeOfAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	dir := filepath.Join(t.TempDir(), "theirs")
	must(t, os.Mkdir(dir, 0o700))
	must(t, os.Chown(dir, 65534, 65534))
	refused(t, "belongs to user 65534", env("KEDGE_HOME", dir))
}

func TestF29PermissionLoss(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("permission bits do not bind root; TestF29ReadOnlyFilesystem is for root")
	}
	dir := filepath.Join(t.TempDir(), "locked")
	must(t, os.Mkdir(dir, 0o500))
	refused(t, "cannot write to its folder", env("KEDGE_HOME", dir))
	refused(t, "permission denied", env("KEDGE_HOME", filepath.Join(dir, "below")))
}

// homeRole reports what Home says of a folder on a filesystem that was mounted
// read-only in a mount namespace of this process alone.
func homeRole() {
	dir := os.Getenv("KEDGE_HOME")
	if err := mountReadOnly(dir); err != nil {
		fmt.Println("skip:", err)
		return
	}
	for _, d := range []string{dir, filepath.Join(dir, "below")} {
		_, err := daemon.Home(env("KEDGE_HOME", d))
		fmt.Printf("%s: %v\n", kedge.KindOf(err), err)
	}
	_, err := daemon.Home(env("KEDGE_HOME", dir, "KEDGE_SESSION", "ses-1"))
	fmt.Printf("in a session: %v\n", err)
}

func TestF29ReadOnlyFilesystem(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs mount namespaces")
	}
	dir := filepath.Join(t.TempDir(), "ro")
	must(t, os.Mkdir(dir, 0o700))
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVar+"=home", "KEDGE_HOME="+dir)
	cmd.SysProcAttr = ownMounts()
	out, err := cmd.CombinedOutput()
	if err != nil {
		if _, ran := errors.AsType[*exec.ExitError](err); !ran {
			t.Skipf("no mount namespace here: %v", err)
		}
		t.Fatalf("%v: %s", err, out)
	}
	if reason, skip := strings.CutPrefix(string(out), "skip:"); skip {
		t.Skipf("cannot mount here: %s", reason)
	}
	want := fmt.Sprintf("invalid: Kedge cannot write to its folder %q: %v\ninvalid: cannot make the state folder %q: %v\nin a session: <nil>\n",
		dir, syscall.EROFS, filepath.Join(dir, "below"), syscall.EROFS)
	if string(out) != want {
		t.Errorf("got  %s\nwant %s", out, want)
	}
}
