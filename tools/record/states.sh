# Long outputs that tell in what state many things are, with a bad one among them:
# conflicts, packages that are missing, tests behind a filter. Sourced by record.sh.

project statesgit
git init -q -b main . && git config user.name me && git config user.email me@example.com
mkdir -p src
seq 1 90 | while read -r i; do printf 'one\ntwo\nthree %d\nfour\nfive\nsix\nseven\neight\nnine\nten\n' "$i" >"src/f$i.go"; done
stamp() { GIT_AUTHOR_DATE=2026-01-02T03:04:05Z GIT_COMMITTER_DATE=2026-01-02T03:04:05Z git "$@"; }
git add -A && stamp commit -q -m first
git checkout -q -b other
seq 1 90 | while read -r i; do sed -i '1s/one/ONE/' "src/f$i.go"; done
sed -i '10s/ten/other/' src/f45.go && git rm -qf src/f60.go && git add -A && stamp commit -q -m 'the other side'
git checkout -q main
seq 1 90 | while read -r i; do sed -i '9s/nine/NINE/' "src/f$i.go"; done
sed -i '10s/ten/ours/' src/f45.go && git add -A && stamp commit -q -m 'our side'
record git-long-merge 'git merge other'
seq 1 60 | while read -r i; do echo new >"new$i.txt"; done
record git-long-unmerged 'git status'
record git-long-unmerged-short 'git status --short'
git merge --abort 2>/dev/null
record git-long-stat 'git log --stat'

project statesnpm
mkdir -p node_modules
{
  printf '{\n  "name": "shop",\n  "version": "1.0.0",\n  "dependencies": {\n'
  many 80 '    "part@": "^1.0.0",\n'
  printf '    "absent": "^2.0.0",\n    "wrong": "^2.0.0"\n  }\n}\n'
} >package.json
for p in $(seq -f 'part%g' 1 80) wrong; do
  mkdir -p "node_modules/$p" && printf '{"name":"%s","version":"1.0.0"}\n' "$p" >"node_modules/$p/package.json"
done
record npm-long-ls 'npm ls'

project statesgo
printf 'module example.com/shop\n\ngo 1.26\n' >go.mod
seq 1 60 | while read -r i; do
  mkdir -p "p$i"
  printf 'package p%d\n\nimport "testing"\n\nfunc TestOne(*testing.T) {}\n' "$i" >"p$i/p_test.go"
done
printf 'package p30\n\nimport "testing"\n\nfunc TestThirty(t *testing.T) { t.Fatal("thirty broke") }\n' >p30/more_test.go
record go-long-filter 'go test -v ./... 2>&1 | grep -E "^(---|ok|FAIL|PASS)" | sort'
