package condense_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kedge/internal/insight/condense"
	"kedge/internal/text/words"
)

// odd are outputs in which something differs from all that is like it, without a word of
// failing. Those called made-… are made after the real tool's form, all others were recorded.
var odd = []struct {
	name, command string
	facts         []string
}{
	{`eslint-rules`, `npx eslint lint`, []string{`error no-cond-assign (1): `, `  f33.js 4:5`, `error no-fallthrough (1): `, `  f41.js 4:49`, `'missing17'`, `problems (`}},
	{`tsc-files`, `npx tsc --noEmit --strict ts/*.ts`, []string{`ts/m17.ts`, `error TS2741: Property 'b' is missing`, `Cannot find name 'unknownName'.`}},
	{`jest-odd`, `npx jest --ci`, []string{`retry budget is at 2 of 3`, `1 skipped, 1 todo, 121 passed`}},
	{`vitest-odd`, `npx vitest run`, []string{`vspec/s77.spec.js (1 test) 4003ms`, `(3 tests | 2 skipped)`, `retry budget is at 2 of 3`, `121 passed | 1 skipped`}},
	{`unittest`, `python3 -m unittest -v test_many`, []string{`test_050 (test_many.T.test_050) ... skipped 'needs a printer'`, `test_090 (test_many.T.test_090) ... expected failure`, `OK (skipped=1, expected failures=1)`}},
	{`cargo-test`, `cargo test`, []string{`case_70 ... ignored, needs a network`, `case_90 - should panic`, `149 passed; 0 failed; 1 ignored`}},
	{`make-odd`, `make`, []string{`cc -O0 -g -Wall -c -o f33.o f33.c`, `f77.c:1:20: warning: unused variable`, `ar rcs libx.a`}},
	{`go-slow`, `go test -v ./...`, []string{`--- PASS: TestCase60 (5.00s)`, `no docker here`, `--- SKIP: TestCase80`, "ok  \texample.com/g\t5.009s"}},
	{`py-log`, `python3 job.py`, []string{`worker-9 handed its lease back`, `job 4711 in 52117ms`, `10:13:02`, `10:18:02`}},
	{`systemctl`, `systemctl list-unit-files`, []string{`masked`, `alias`, `225 unit files listed.`}},
	{`ls-usr`, `ls -l /usr/bin`, []string{`shadow    80376 Apr  7  2025 chage`, `_ssh`, `-rwsr-xr-x`}},
	{`git-clone`, `git clone --no-local /work/main cl`, []string{`Receiving objects: 100%`, `Resolving deltas: 100%`}},
	{`find-odd`, `find node_modules/eslint node_modules/jest-cli node_modules/ajv -type f`, []string{`.eslintrc.yml`, `ajv.min.js.map`}},
	{`made-kubectl-pods`, `kubectl get pods`, []string{`x9x9x`, `r7r7r`}},
	{`made-kubectl-wide`, `kubectl get pods -A -o wide`, []string{`api-dkcdtw2g8-lfrtb`, `api-5jwztr2zp-pk66x`}},
	{`made-docker-ps`, `docker ps -a`, []string{`api-32`, `9090/tcp`, `shop/api:1.3`}},
	{`made-log`, `cat server.log`, []string{`NOTICE`, `418`, `8731ms`, `10:00:15.474`, `10:01:00.503`}},
	{`made-jest-slow`, `npx jest`, []string{`m120.test.ts (61.3 s)`, `900 passed`}},
	{`made-go-slow`, `go test -v ./...`, []string{`TestThing150 (60.01s)`, `63.1s`}},
	{`made-pytest`, `pytest -v`, []string{`test_legacy`, `test_gone`, `498 passed`}},
	{`made-rc`, `./run-all.sh`, []string{`rc=1`, `-3s`}},
	{`made-rows`, `./copy.sh`, []string{`shard 77: 0`, `4200000`}},
	{`made-indent`, `./dump`, []string{`nested one`}},
	{`made-nonascii`, `./people`, []string{`Müller`}},
	{`made-ss`, `ss -tnp`, []string{`31337`, `48213`}},
	{`made-ansible`, `ansible-playbook site.yml`, []string{`changed: [host37]`, `host37                     : ok=3    changed=1`}},
	{`made-systemctl`, `systemctl list-units`, []string{`auto-restart`, `not-found`}},
	{`made-terraform`, `terraform plan`, []string{`read during apply`, `Modifications complete`, `Plan: 0 to add`}},
	{`made-ls`, `ls -la data`, []string{`part-00099`, `part-00199`, `part-00249`, `part-00279`, `part-00149`}},
	{`made-find`, `find . -type f`, []string{`id_rsa.pem`, `.env`}},
	{`made-gitlog`, `git log --oneline`, []string{`Revert`}},
	{`made-json`, `kubectl get pods -o json`, []string{`"Pending"`, `"ready": false`}},
	{`made-ps`, `ps aux`, []string{`spinny`, `nobody`}},
	{`made-cargo`, `cargo test`, []string{`needs_net`, `299 passed`}},
	{`made-apt`, `apt-get install -y x`, []string{`/etc/foo.conf`, `reboot`}},
	{`made-csv`, `cat orders.csv`, []string{`refunded`, `-12.00`}},
	{`made-gradle`, `gradle build`, []string{`120 actionable`, `BUILD SUCCESSFUL`}},
	{`made-webpack`, `npx webpack`, []string{`14.2 MiB`, `compiled successfully`}},
	{`made-ping`, `ping -c 200 x`, []string{`time=812 ms`, `0.5% packet loss`}},
	{`made-make`, `make`, []string{`-O0`, `g++`}},
	{`made-journal`, `journalctl -u x`, []string{`host2`, `oom-guard`, `Mar 01 10:05:23`, `Mar 01 10:15:25`}},
}

// TestCondenseKeepsTheOddOneOut: every fact is there, and still most of the rest is not.
func TestCondenseKeepsTheOddOneOut(t *testing.T) {
	names, err := filepath.Glob("testdata/odd/*.gz")
	if err != nil || len(names) != len(odd) {
		t.Fatalf("%d outputs (%v), and facts for %d", len(names), err, len(odd))
	}
	whole, left, facts, kept := 0, 0, 0, 0
	for _, o := range odd {
		t.Run(o.name, func(t *testing.T) {
			out := unzip(t, "testdata/odd/"+o.name+".txt.gz")
			c := condense.Condense(o.command, out)
			checkCondensed(t, o.command, out, c)
			before, now := words.Tokens(out), words.Tokens(c.Text)
			whole, left = whole+before, left+now
			t.Logf("%5d of %5d tokens, %4d of %4d lines", now, before, c.Shown, c.Lines)
			if now*2 > before {
				t.Errorf("%d of %d tokens are left", now, before)
			}
			for _, f := range o.facts {
				if facts++; strings.Contains(c.Text, f) {
					kept++
				} else {
					t.Errorf("%q is lost in\n%s", f, c.Text)
				}
			}
		})
	}
	t.Logf("%d of %d facts, %d of %d tokens left: %.1f%% fewer", kept, facts, left, whole, 100-100*float64(left)/float64(whole))
	if left*100 > whole*20 {
		t.Errorf("%d of %d tokens are left, want at most 20%%", left, whole)
	}
}

func unzip(t testing.TB, name string) string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestCondenseLeavesSourceAlone: a file of source that is printed is wanted whole, however
// alike its lines are; a log is not.
func TestCondenseLeavesSourceAlone(t *testing.T) {
	source := "package x\n\n" + times(300, "const A%[1]d = %[1]d\n")
	log := times(300, "2026-01-02 10:00:00 INFO served %d\n")
	notes := ""
	for i := range 60 {
		notes += strings.Repeat("word ", i%7+1) + string(rune('a'+i%26)) + strings.Repeat("y", i/3) + "\n"
	}
	for command, whole := range map[string]bool{
		"cat x.go": true, "cat -n src/x.go": true, "sed -n '1,300p' x.go": true, "head -n 300 x.py": true, "cd a && cat x.ts | head -300": true, "git show HEAD:x.go": true,
		"tail -n +1 a.go b.go": true, "cat Makefile": true, "nl -ba x.rs": true, "cat a.go; cat b.go": true, "cat x.yaml 2>/dev/null": true,
		"cat x.log": false, "tail -300 /var/log/syslog": false, "make": false, "cat a.go && make": false, "cat a.go x.log": false,
	} {
		if got := condense.Condense(command, source); (got.Text == source) != whole {
			t.Errorf("%s: %d of %d lines are shown", command, got.Shown, got.Lines)
		}
	}
	for out, whole := range map[string]bool{log: false, notes: true} {
		if got := condense.Condense("cat notes.txt", out); (got.Text == out) != whole {
			t.Errorf("cat notes.txt: %d of %d lines are shown", got.Shown, got.Lines)
		}
	}
}

// TestCondenseFoldsWhatWasWrittenOver: of progress the last state is left, in short outputs
// too, with what complained or was like no other.
func TestCondenseFoldsWhatWasWrittenOver(t *testing.T) {
	states := strings.ReplaceAll(times(100, "fetching %d%% [####      ]\n"), "\n", "\r")
	for out, want := range map[string]string{
		"start\n" + states + "fetched\nend\n":                              "start\nfetched\nend\n[kedge: 3 of 3 lines shown, 1 of them shortened]\n",
		states + "waiting for a lock, held by 17\r" + states + "fetched\n": "waiting for a lock, held by 17\nfetched\n[kedge: 1 of 1 lines shown, 1 of them shortened]\n",
		states + "error: refused\r" + states + "fetched\n":                 "error: refused\nfetched\n[kedge: 1 of 1 lines shown, 1 of them shortened]\n",
		"a\r\nb\r\n": "a\r\nb\r\n",
		"ab\rcd\n":   "ab\rcd\n",
	} {
		if got := condense.Condense("fetch", out); got.Text != want {
			t.Errorf("%q\nwant %q", got.Text, want)
		}
	}
}
