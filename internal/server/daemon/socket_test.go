package daemon

import (
	"bytes"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge"
)

// longHome is a home whose own socket path would not fit.
func longHome(t *testing.T) string {
	t.Helper()
	home := filepath.Join(testHome(t), strings.Repeat("long-", 30))
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	return home
}

// runtimeDir is short, as an XDG_RUNTIME_DIR is, and its user's alone.
func runtimeDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "kr") //nolint:usetesting // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func TestF29SocketPathFits(t *testing.T) {
	runtime := runtimeDir(t)
	open := runtimeDir(t)
	if err := os.Chmod(open, 0o755); err != nil {
		t.Fatal(err)
	}
	short := filepath.Join(runtimeDir(t), "h")
	if err := os.Mkdir(short, 0o700); err != nil {
		t.Fatal(err)
	}
	long := longHome(t)
	tmp := fmt.Sprintf("/tmp/kedge-%d-", os.Geteuid())
	for _, c := range []struct{ name, home, runtime, under string }{
		{"in the home", short, runtime, short + "/daemon/socket"},
		{"runtime folder", long, runtime, runtime + "/kedge-"},
		{"no runtime folder", long, "", tmp},
		{"relative runtime folder", long, "run", tmp},
		{"missing runtime folder", long, runtime + "/gone", tmp},
		{"runtime folder too long", long, long, tmp},
		{"runtime folder open to others", long, open, tmp},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, err := socketPath(c.home, c.runtime)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(path, "/tmp/kedge-") {
				t.Cleanup(func() { _ = os.Remove(filepath.Dir(path)) })
			}
			if !strings.HasPrefix(path, c.under) || len(path) > maxSocketPath {
				t.Errorf("got %q (%d bytes), want one under %q", path, len(path), c.under)
			}
			if info, err := os.Lstat(filepath.Dir(path)); err != nil || info.Mode() != os.ModeDir|0o700 {
				t.Errorf("its folder is %v, %v", info.Mode(), err)
			}
			if again, err := socketPath(c.home, c.runtime); err != nil || again != path {
				t.Errorf("a second time %q, %v", again, err)
			}
		})
	}
	a, b := shortDir(long, runtime), shortDir(long+"x", runtime)
	if a == b {
		t.Errorf("two homes share %q", a)
	}
}

func TestF29SquattedSocketFolderIsRefused(t *testing.T) {
	for name, squat := range map[string]func(dir string) error{
		"link": func(dir string) error { return os.Symlink(t.TempDir(), dir) },
		"file": func(dir string) error { return os.WriteFile(dir, nil, 0o600) },
		"open": func(dir string) error {
			if err := os.Mkdir(dir, 0o700); err != nil {
				return err
			}
			return os.Chmod(dir, 0o777)
		},
		"theirs": func(dir string) error {
			if os.Geteuid() != 0 {
				return os.WriteFile(dir, nil, 0o600) // only root can give a folder away
			}
			if err := os.Mkdir(dir, 0o700); err != nil {
				return err
			}
			return os.Chown(dir, 65534, 65534)
		},
	} {
		t.Run(name, func(t *testing.T) {
			home, runtime := longHome(t), runtimeDir(t)
			if err := squat(shortDir(home, runtime)); err != nil {
				t.Fatal(err)
			}
			if path, err := socketPath(home, runtime); !kedge.Invalid.Is(err) || kedge.HintOf(err) == "" {
				t.Errorf("got %q, %v", path, err)
			}
		})
	}
}

func TestOnlyADeadSocketIsReplaced(t *testing.T) {
	dir := runtimeDir(t)
	path := filepath.Join(dir, "socket")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	_ = l.Close()
	if err := removeStale(path); err != nil {
		t.Errorf("a socket nobody listens on: %v", err)
	}
	if err := removeStale(path); err != nil {
		t.Errorf("nothing there: %v", err)
	}
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := removeStale(path); !kedge.Conflict.Is(err) {
		t.Errorf("a person's file: %v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != "mine" {
		t.Errorf("the file now holds %q", b)
	}
}

func TestT4PeerUser(t *testing.T) {
	path := filepath.Join(runtimeDir(t), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	mine, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer mine.Close()
	theirs, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	for _, c := range []net.Conn{mine, theirs} {
		if err := checkPeer(c, os.Geteuid()); err != nil {
			t.Errorf("the same user: %v", err)
		}
		if err := checkPeer(c, os.Geteuid()+1); !kedge.Conflict.Is(err) {
			t.Errorf("another user: %v", err)
		}
	}
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	if err := checkPeer(a, os.Geteuid()); err == nil {
		t.Error("a connection that cannot say who is there was let in")
	}
}

func TestLogIsRotatedBySize(t *testing.T) {
	dir := t.TempDir()
	r := &rotating{path: filepath.Join(dir, "log"), max: 100}
	if err := r.open(); err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewJSONHandler(r, nil))
	for i := range 10 {
		log.Info("line", "n", i)
	}
	if err := r.close(); err != nil {
		t.Fatal(err)
	}
	now, err1 := os.ReadFile(r.path)
	before, err2 := os.ReadFile(r.path + ".1")
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if len(now) > 100 || len(before) > 100 || !bytes.Contains(now, []byte(`"n":9`)) || !bytes.Contains(before, []byte(`"n":8`)) {
		t.Errorf("log %q, log.1 %q", now, before)
	}
	if info, _ := os.Stat(r.path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if _, err := r.Write([]byte("x")); err == nil {
		t.Error("a closed log took a line")
	}
}

func TestChildEnvironmentIsReduced(t *testing.T) {
	got := reduced([]string{"PATH=/bin", "HOME=/h", "KEDGE_SESSION=ses-1", "ANTHROPIC_API_KEY=k", "LC_ALL=C", "TERM=x", "KEDGE_HOME=/other", "XDG_RUNTIME_DIR=/r"})
	if want := "PATH=/bin HOME=/h LC_ALL=C XDG_RUNTIME_DIR=/r"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
