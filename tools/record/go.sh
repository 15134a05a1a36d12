# Cases of the go tool. Sourced by record.sh.

project gofail
cat >go.mod <<'X'
module example.com/shop

go 1.26
X
mkdir -p cart price empty
cat >cart/cart.go <<'X'
package cart

// Total adds up.
func Total(prices []int) int {
	sum := 0
	for _, p := range prices {
		sum -= p
	}
	return sum
}
X
cat >cart/cart_test.go <<'X'
package cart

import "testing"

func TestEmpty(t *testing.T) {
	t.Log("nothing in it")
}

func TestTotal(t *testing.T) {
	t.Log("adding two prices")
	if got := Total([]int{1, 2}); got != 3 {
		t.Errorf("Total = %d, want 3\n  prices: 1 2\n  currency: EUR", got)
	}
	t.Error("a second complaint")
}

func TestAfter(t *testing.T) {
	t.Error("a later failure")
}
X
cat >price/price.go <<'X'
package price

func Parse(s string) int { return len(s) }
X
cat >price/price_test.go <<'X'
package price

import "testing"

func TestParse(t *testing.T) {
	for name, want := range map[string]int{"12": 12} {
		t.Run("of "+name, func(t *testing.T) {
			t.Run("deep", func(t *testing.T) {
				if got := Parse(name); got != want {
					t.Fatalf("Parse(%q) = %d, want %d", name, got, want)
				}
			})
		})
	}
}
X
echo 'package empty' >empty/empty.go
record go-fail 'go test ./...'
record go-fail-verbose 'go test -v ./cart'
record go-fail-json 'go test -json ./...'
record go-subtest 'go test ./price'
record go-subtest-json 'go test -json ./price'
record go-notestfiles 'go test ./empty'
record go-notests 'go test -run TestNothingLikeThis ./cart ./price'
record go-notests-json 'go test -json -run TestNothingLikeThis ./cart'
record go-ok 'go test -run TestEmpty ./...'

project gopanic
cat >go.mod <<'X'
module example.com/panics

go 1.26
X
cat >p.go <<'X'
package panics

func first(m map[string][]int) int { return m["none"][0] }
X
cat >p_test.go <<'X'
package panics

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
)

func TestPanics(t *testing.T) {
	if first(nil) != 1 {
		t.Error("not one")
	}
}

func TestGoroutine(t *testing.T) {
	var wg sync.WaitGroup
	wg.Go(func() { panic(fmt.Errorf("lost in a goroutine")) })
	wg.Wait()
}

func TestHangs(t *testing.T) {
	time.Sleep(time.Hour)
}

func TestExits(t *testing.T) {
	fmt.Println("closing early")
	os.Exit(3)
}

func TestRace(t *testing.T) {
	n := 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { n++ })
	}
	wg.Wait()
	if n == 7 {
		t.Error("seven")
	}
}

func Example() {
	fmt.Println("hello")
	// Output: goodbye
}

func FuzzShort(f *testing.F) {
	f.Add("long enough")
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 3 {
			t.Fatalf("%q is too long", s)
		}
	})
}
X
cat >parallel_test.go <<'X'
package panics

import "testing"

func TestMany(t *testing.T) {
	for _, name := range []string{"one", "two"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Log("working on", name)
			if name == "two" {
				t.Error("two is wrong")
			}
		})
	}
}

func TestSkipped(t *testing.T) { t.Skip("not today") }
X
record go-parallel 'go test -v -run TestMany'
record go-allskipped 'go test -v -run TestSkipped'
record go-panic 'go test -run TestPanics'
record go-panic-json 'go test -json -run TestPanics'
record go-goroutine 'go test -run TestGoroutine'
record go-timeout 'go test -vet=off -run TestHangs -timeout 1s'
record go-exit 'go test -run TestExits'
record go-race 'go test -race -run TestRace'
record go-example 'go test -vet=off -run Example'
record go-fuzz 'go test -run FuzzShort'

project gobuild
cat >go.mod <<'X'
module example.com/broken

go 1.26
X
mkdir -p types vet syntax absent cmd
cat >types/types.go <<'X'
package types

func Name() string { return 7 }

func Other() int { return undefinedThing }
X
printf 'package types\n\nimport "testing"\n\nfunc TestName(t *testing.T) { Name() }\n' >types/types_test.go
printf 'package vet\n\nimport "fmt"\n\nfunc Say() { fmt.Printf("%%d things\\n", "two") }\n' >vet/vet.go
printf 'package vet\n\nimport "testing"\n\nfunc TestSay(t *testing.T) { Say() }\n' >vet/vet_test.go
printf 'package syntax\n\nfunc Broken() {\n\tif {\n}\n' >syntax/syntax.go
printf 'package absent\n\nimport _ "example.com/nowhere/absent"\n' >absent/absent.go
printf 'package absent\n\nimport "testing"\n\nfunc TestX(t *testing.T) {}\n' >absent/absent_test.go
printf 'package main\n\nimport "os"\n\nfunc main() { x := os.Args }\n' >cmd/main.go
record go-compile 'go test ./types'
record go-compile-json 'go test -json ./types'
record go-build 'go build -o /dev/null ./cmd'
record go-vet 'go vet ./vet'
record go-vetintest 'go test ./vet'
record go-syntax 'go build ./syntax'
record go-import 'GOFLAGS=-mod=mod GOPROXY=off go test ./absent'
