# Long outputs, for the tests of condensing: many tests, many files, much noise,
# and in most of them something that must not get lost. Sourced by record.sh.

out=$here/../../internal/insight/condense/testdata/long
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 1

# many N FORMAT prints the format for each number up to N.
many() { seq 1 "$1" | while read -r i; do printf "${2//@/$i}"; done; }

project longgo
printf 'module example.com/shop\n\ngo 1.26\n' >go.mod
mkdir -p cart
{
  printf 'package cart\n\nimport "testing"\n\n'
  many 400 'func TestCase@(t *testing.T) {\n\tt.Run("small", func(*testing.T) {})\n\tt.Run("large error path", func(*testing.T) {})\n}\n\n'
  printf 'func TestTotal(t *testing.T) {\n\tt.Run("empty", func(t *testing.T) { t.Error("total is\\n  got: 3\\n want: 2") })\n\tt.Skip("later")\n}\n'
} >cart/cart_test.go
seq 1 120 | while read -r i; do
  mkdir -p "p$i"
  printf 'package p%d\n\nimport "testing"\n\nfunc TestOne(*testing.T) {}\n' "$i" >"p$i/p_test.go"
done
printf 'package p60\n\nimport "testing"\n\nfunc TestSixty(t *testing.T) { t.Fatal("sixty broke") }\n' >p60/more_test.go
record go-long-verbose 'go test -v ./cart'
record go-long-json "go test -json -run 'TestCase1|TestTotal' ./cart"
record go-long-verbose-ok "go test -v -run 'TestCase' ./cart"
record go-long-packages 'go test ./p...'
{
  printf 'package deep\n\nimport "testing"\n\nfunc down(n int) int {\n\tif n == 0 {\n\t\tpanic("bottom")\n\t}\n\treturn down(n-1) + 1\n}\n\nfunc TestDeep(t *testing.T) { down(60) }\n'
} >deep_test.go
record go-long-panic 'go test .'
printf 'package p1\n\n' >p1/broken.go
many 9 'var a@ int = "@"\n' >>p1/broken.go
record go-long-build 'go vet ./p1 ./p2 ./p3; go test ./p...'

project longrust
mkdir -p src
printf '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n' >Cargo.toml
{
  printf 'pub fn unused_import() -> i32 { let x = 1; 2 }\n#[cfg(test)]\nmod tests {\n'
  many 300 '    #[test]\n    fn case_@() { assert!(true); }\n'
  printf '    #[test]\n    fn adds() { assert_eq!(1 + 1, 3, "the sum is wrong"); }\n}\n'
} >src/lib.rs
record cargo-long-test 'cargo test'
record cargo-long-ok 'cargo test case_'
many 40 'pub fn broken_@() -> i32 { "@" }\n' >>src/lib.rs
record cargo-long-errors 'cargo build'

project longpython
{
  printf 'import unittest\n\nclass Cart(unittest.TestCase):\n'
  many 300 '    def test_case_@(self): self.assertTrue(True)\n'
  printf '    def test_total(self):\n        self.assertEqual(1 + 1, 3, "the sum is wrong")\n'
} >cart_tests.py
sed 's/Cart/Shop/' cart_tests.py >test_shop.py
record python-long-unittest 'python3 -m unittest -v cart_tests'
record python-long-unittest-ok 'python3 -m unittest -v cart_tests -k case'
record pytest-long-verbose 'python3 -m pytest -p no:cacheprovider -v test_shop.py'
record pytest-long-verbose-ok 'python3 -m pytest -p no:cacheprovider -v -k case test_shop.py'
seq 1 60 | while read -r i; do printf 'def test_one(): pass\ndef test_two(): pass\n' >"test_m$i.py"; done
printf 'import json\n\ndef test_deep():\n    json.loads("{" * 3)\n' >test_z.py
record pytest-long-files 'python3 -m pytest -p no:cacheprovider'
printf 'import json\n\ndef down(n):\n    return down(n - 1) if n else json.loads("{")\n\nfor i in range(120):\n    print("2026-01-02 03:04:%%02d INFO handled request %%d" %% (i %% 60, i))\ndown(3)\n' >deep.py
record python-long-traceback 'python3 deep.py'

nodeproject longnode
mkdir -p spec
{
  printf 'describe("cart", () => {\n'
  many 300 '  test("handles error case @", () => {});\n'
  printf '  test("adds prices", () => { expect(1 + 1).toBe(3); });\n});\n'
} >spec/cart.test.js
seq 1 30 | while read -r i; do printf 'test("one", () => {});\n' >"spec/s$i.test.js"; done
record jest-long-verbose "$bin/jest --ci --verbose spec/cart.test.js"
record jest-long-files "$bin/jest --ci"
record vitest-long-verbose "$bin/vitest run --globals --reporter=verbose spec/cart.test.js"
record vitest-long-files "$bin/vitest run --globals"
sed -e 's/test(/it(/' -e 's/expect.*toBe(3)/require("assert").strictEqual(1 + 1, 3)/' spec/cart.test.js >cart.mocha.js
record mocha-long-spec "$bin/mocha cart.mocha.js"
sed -e '1i const { test, describe } = require("node:test");' -e 's/expect.*toBe(3)/require("assert").strictEqual(1 + 1, 3)/' spec/cart.test.js >cart.node.js
record node-long-spec 'node --test --test-reporter=spec cart.node.js'
record node-long-tap 'node --test --test-reporter=tap cart.node.js'
many 60 'export const a@: number = "@";\n' >src.ts
record tsc-long-errors "$bin/tsc --noEmit src.ts"
record tsc-long-pretty "$bin/tsc --noEmit --pretty src.ts"
printf 'export default [{ rules: { "no-unused-vars": "warn", "no-undef": "error" } }];\n' >eslint.config.mjs
mkdir -p lint
seq 1 30 | while read -r i; do printf 'const a = 1;\nlet b%d = missing%d;\n' "$i" "$i" >"lint/f$i.js"; done
record eslint-long-many "$bin/eslint lint"

project longmake
seq 1 150 | while read -r i; do printf 'int f%d(void) { return %d; }\n' "$i" "$i" >"f$i.c"; done
printf 'int f77(void) { int unused; return total; }\n' >f77.c
printf 'SRC := $(wildcard *.c)\nall: $(SRC:.c=.o)\n%%.o: %%.c\n\tgcc -Wall -O2 -Iinclude -DVERSION=1 -c -o $@ $<\n' >Makefile
record make-long-keep 'make -k'
printf 'int f77(void) { return 77; }\n' >f77.c
rm -f ./*.o
record make-long-ok 'make'
record make-long-again 'make clean; make'
record sh-long-log 'for i in $(seq 1 3000); do echo "2026-01-02T03:04:05Z INFO served request $i in 3 ms"; [ $i = 1700 ] && echo "2026-01-02T03:04:05Z ERROR upstream refused: api.c:17"; done; exit 1'
record sh-long-progress 'for i in $(seq 1 100); do printf "\rfetching %d%%" $i; done; echo; for i in $(seq 1 100); do echo "$i% [####          ] part $i"; done; echo "100 parts, 2 warnings"'
record sh-long-equal 'for i in $(seq 1 500); do echo "worker: connection refused"; done; echo "gave up"; exit 1'

project longgit
git init -q -b main . && git config user.name me && git config user.email me@example.com
seq 1 200 | while read -r i; do
  mkdir -p "src/dir$((i % 12))"
  printf 'package x\n\n// error number %d\nvar Err%d = "failed"\n' "$i" "$i" >"src/dir$((i % 12))/error$i.go"
done
git add -A && GIT_COMMITTER_DATE=2026-01-02T03:04:05Z git commit -q --date=2026-01-02T03:04:05Z -m 'all files'
seq 1 120 | while read -r i; do GIT_COMMITTER_DATE=2026-01-02T03:04:05Z git commit -q --allow-empty --date=2026-01-02T03:04:05Z -m "change $i"; done
record git-long-log 'git log'
record git-long-oneline 'git log --oneline'
find src -name '*.go' | sort | head -60 | while read -r f; do many 20 'var more@ = @\n' >>"$f"; done
record git-long-diff 'git diff'
record git-long-status 'git status'
record find-long-all 'find . -path ./.git -prune -o -type f -print'
record ls-long-all 'ls -lR src'
record grep-long-lines 'grep -rn failed src'
record grep-long-files 'grep -rl failed src'
record rg-long-lines 'rg -n --sort path "error|more1" src'

# Of what everybody has who works on this: the go tool's own sources.
root=$(go env GOROOT)/src
record go-long-strings 'go test -v strings unicode/utf8 path'
record go-long-url 'go test -v net/url encoding/json text/template html/template'
record go-long-more 'go test -v -short reflect go/parser go/printer text/tabwriter'
record find-long-tree "find $root/cmd $root/net -type f"
record ls-long-tree "ls -lR $root/internal"
