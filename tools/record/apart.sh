# Long outputs of tools that no rule was made for: whether condensing keeps what
# matters, and saves, where nobody fitted it. Nobody changes a rule for one of these
# alone. Sourced by record.sh.

out=$here/../../internal/insight/condense/testdata/apart
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 1

project apartjava
mkdir -p shop
seq 1 25 | while read -r i; do
  printf 'package shop;\n\npublic class Part%d {\n    public int price() {\n        return total%d;\n    }\n    public String name() {\n        int unused = "x";\n        return null;\n    }\n}\n' "$i" "$i" >"shop/Part$i.java"
done
record javac-apart-errors 'javac -Xlint:all -d out shop/*.java'

project apartperl
mkdir -p t
seq 1 12 | while read -r f; do
  { printf 'use strict; use warnings; use Test::More tests => 30;\n'
    seq 1 30 | while read -r i; do printf 'ok(1, "case %d handles an error");\n' "$i"; done; } >"t/f$f.t"
done
sed -i 's/ok(1, "case 17 handles an error");/is(1 + 1, 3, "case 17 handles an error");/' t/f7.t
sed -i 's/ok(1, "case 9 handles an error");/die "no such table: orders";/' t/f9.t
record prove-apart-verbose 'prove -v t'
record prove-apart-plain 'prove t; for i in 1 2 3 4 5 6; do prove t/f$i.t; done'

project apartterraform
{
  seq 1 60 | while read -r i; do printf 'resource "terraform_data" "part%d" {\n  input = "v%d"\n}\n\n' "$i" "$i"; done
} >main.tf
printf 'resource "terraform_data" "old" {\n  input            = "a"\n  triggers_replace = ["one"]\n}\n' >old.tf
if need terraform; then terraform init -no-color >/dev/null 2>&1 && terraform apply -no-color -auto-approve >/dev/null 2>&1; fi
printf 'resource "terraform_data" "old" {\n  input            = "a"\n  triggers_replace = ["two"]\n}\n' >old.tf
seq 1 60 | while read -r i; do [ "$i" -gt 30 ] || sed -i "s/\"v$i\"/\"w$i\"/" main.tf; done
sed -i '/"part60"/,$d' main.tf
record terraform-apart-plan 'terraform plan -no-color'
record terraform-apart-apply 'terraform apply -no-color -auto-approve'

project apartgcc
{
  printf '#include <stdio.h>\n\nint missing(int);\n'
  seq 1 60 | while read -r i; do printf 'static int f%d(int a)\n{\n\tint b;\n\tif (a = %d)\n\t\tprintf("%%s\\n", a);\n\treturn 0;\n}\n' "$i" "$i"; done
  printf 'int main(void) { return missing(1); }\n'
} >shop.c
record gcc-apart-link 'gcc -Wall -Wextra -o shop shop.c'

project apartgo
printf 'module example.com/shop\n\ngo 1.26\n' >go.mod
{
  printf 'package shop\n\nimport "testing"\n\n'
  seq 1 80 | while read -r i; do printf 'func BenchmarkCase%d(b *testing.B) {\n\tfor b.Loop() {\n\t}\n}\n\n' "$i"; done
  printf 'func TestRace(t *testing.T) {\n\tn, done := 0, make(chan bool)\n\tgo func() { n++; done <- true }()\n\tn++\n\t<-done\n\tif n == 2 {\n\t\tt.Log("counted")\n\t}\n}\n'
} >shop_test.go
record go-apart-bench 'go test -run xxx -bench . -benchtime 1x'
record go-apart-x 'go vet -x . 2>&1'
record go-apart-list 'go list -deps -f "{{.ImportPath}} {{.Dir}}" net/http'

project apartpython
cat >app.py <<'P'
import json
import logging

logging.basicConfig(level=logging.DEBUG, format="%(asctime)s %(levelname)s %(name)s: %(message)s", datefmt="2026-01-02 03:04:05")
log = logging.getLogger("shop.orders")


def parse(body):
    return json.loads(body)


for i in range(200):
    log.debug("received order %d from 10.0.0.%d", i, i % 250)
    try:
        parse("{" if i % 40 == 7 else "{}")
    except ValueError:
        log.exception("order %d cannot be read", i)
    if i == 120:
        log.warning("queue is at %d of 128", i)
    log.info("stored order %d", i)
P
record python-apart-logging 'python3 app.py'
record python-apart-source "cat app.py; python3 -c 'import json.decoder as d; print(open(d.__file__).read())'"

project apartfiles
mkdir -p a/src b/src
seq 1 120 | while read -r i; do printf 'one\ntwo %d\nthree\n' "$i" >"a/src/f$i.txt" && cp "a/src/f$i.txt" b/src; done
seq 1 40 | while read -r i; do printf 'four\n' >>"b/src/f$i.txt"; done
rm b/src/f99.txt && echo new >b/src/new.txt
record diff-apart-folders 'diff -r a b'
record tar-apart-list 'tar --owner=me --group=me --mtime=2026-01-02 -cvvf x.tar a b none'
record strace-apart-calls 'strace -o /dev/stderr cat a/src/f1.txt none'
record find-apart-exec 'find a b -name "f1*.txt" | xargs grep -n two'

project apartgit
git init -q -b main . && git config user.name me && git config user.email me@example.com
seq 1 12 | while read -r i; do
  seq 1 30 | sed "s/\$/ of version $i/" >notes.txt
  printf 'package x\n\nvar Err%d = "failed"\n' "$i" >>x.go
  git add -A && GIT_AUTHOR_DATE=2026-01-02T03:04:05Z GIT_COMMITTER_DATE=2026-01-02T03:04:05Z git commit -q -m "version $i: why it failed"
done
record git-apart-patches 'git log -p'
record git-apart-blame 'git blame notes.txt; git blame x.go'
