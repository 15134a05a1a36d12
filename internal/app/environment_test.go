package app_test

import (
	"os"
	"strings"
	"testing"
)

// quietEnvironment makes the test see none of the settings of whoever runs it:
// no git configuration but its own, no GIT_DIR of a hook, no folders of XDG, no
// session of Kedge, and a HOME that is empty. Everything is restored after it.
func quietEnvironment(t *testing.T) {
	t.Helper()
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		for _, prefix := range []string{"GIT_", "XDG_", "KEDGE_"} {
			if strings.HasPrefix(name, prefix) {
				t.Setenv(name, "") // restores it
				if err := os.Unsetenv(name); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	t.Setenv("HOME", t.TempDir())
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
}

// TestHostileEnvironment: a fixture works whatever the environment says.
func TestHostileEnvironment(t *testing.T) {
	hostile := t.TempDir()
	config := hostile + "/git/config"
	if err := os.Mkdir(hostile+"/git", 0o700); err != nil {
		t.Fatal(err)
	}
	text := "[core]\n\tautocrlf = true\n\texcludesFile = " + hostile + "/ignore\n\thooksPath = /nonexistent\n[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = false\n"
	for path, text := range map[string]string{config: text, hostile + "/ignore": "*\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{
		"XDG_CONFIG_HOME": hostile, "GIT_CONFIG_GLOBAL": config, "GIT_DIR": hostile + "/none", "GIT_WORK_TREE": hostile,
		"GIT_INDEX_FILE": hostile + "/index", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.autocrlf", "GIT_CONFIG_VALUE_0": "true",
		"KEDGE_HOME": hostile, "KEDGE_SESSION": "ses-1", "KEDGE_PROJECT": hostile,
	} {
		t.Setenv(name, value)
	}
	y := newYard(t, true)
	if got := y.git("ls-files"); got != "a.txt" {
		t.Errorf("the fixture holds %q", got)
	}
	for _, name := range []string{"XDG_CONFIG_HOME", "GIT_DIR", "KEDGE_SESSION"} {
		if _, set := os.LookupEnv(name); set {
			t.Errorf("%s is still set", name)
		}
	}
}
