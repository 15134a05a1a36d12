package demo

import (
	"encoding/json"
	"fmt"
	"strings"

	"kedge"
	"kedge/internal/app/demo/scripted"
)

// entities are the features of the demo: one package of a small shop each.
var entities = []string{
	"user", "address", "product", "category", "price", "stock", "invoice", "order", "item", "basket",
	"coupon", "payment", "refund", "carrier", "parcel", "shipment", "warehouse", "supplier", "review", "rating",
	"wishlist", "giftcard", "currency", "tax", "discount", "return", "ticket", "audit", "session", "report",
}

// The features in which the agent does not behave.
const (
	liar   = "invoice"  // says that it is done and has done nothing
	cheat  = "coupon"   // makes a test that was there before skip
	hanger = "shipment" // its first session hangs, and is killed
)

// window is how many tokens the scripted agent's context holds. One feature
// takes a fraction of it; all of them in one context do not fit.
const window = 24_000

// files are the project before any work.
func files() map[string]string {
	return map[string]string{
		"go.mod":              "module shop\n\ngo 1.24\n",
		"README.md":           readme,
		"money/money.go":      money,
		"money/money_test.go": moneyTest,
		".kedge/gate.toml":    gateTOML,
	}
}

const readme = `# shop

A shop of small packages, one for each entity. Every entity has a type with an ID
and a Name, a constructor New that refuses what is empty, and a method Label. Each
package has a test of its own. Amounts of money are money.Amount, never floats.
`

const money = `// Package money has amounts that add up.
package money

// Amount is a sum in the smallest unit of a currency.
type Amount int64

// Add gives the sum of two amounts.
func (a Amount) Add(b Amount) Amount { return a + b }
`

const moneyTest = `package money

import "testing"

func TestAdd(t *testing.T) {
	if got := Amount(2).Add(3); got != 5 {
		t.Errorf("2 + 3 = %d", got)
	}
}
`

const gateTOML = `version = 1

[[check]]
name = "unit"
kind = "test"
run = "go test -trimpath -vet=off ./..."
`

// configTOML names the scripted agent.
func configTOML(program, script string) string {
	command, _ := json.Marshal([]string{program, "fakeagent", script}) // texts always encode
	return "version = 1\n\n[agents.scripted]\nkind = \"command\"\ncommand = " + string(command) +
		"\n\n[run]\nagent = \"scripted\"\nparallel = 2\nregression = \"none\" # the gate runs the tests of every package anyway\n\n[env]\npass = [\"PATH\", \"HOME\", \"GOCACHE\", \"GOFLAGS\", \"GOPROXY\", \"GOTOOLCHAIN\", \"GOTELEMETRY\", \"KEDGE_HOME\"]\n"
}

// featureList is features.json for an import. Some entities build on another.
func featureList(names []string) ([]byte, error) {
	type file struct {
		Version  int              `json:"version"`
		Project  string           `json:"project"`
		Features []map[string]any `json:"features"`
	}
	f := file{Version: 1, Project: "shop"}
	for i, n := range names {
		needs := []string{}
		if i > 0 && i%5 == 0 {
			needs = append(needs, names[i-5])
		}
		f.Features = append(f.Features, map[string]any{
			"id": n, "name": "The entity " + n, "priority": (i + 1) * 10, "dependencies": needs,
			"description": "A package " + pkg(n) + " with the type " + typeName(n) + ", its constructor and a test.",
			"paths":       paths(n),
			"checks":      []kedge.Check{{Name: "unit-" + n, Run: "go test -trimpath -vet=off ./" + pkg(n)}},
		})
	}
	return json.MarshalIndent(f, "", "  ")
}

// paths are the files that the work on an entity may change: of the one that cheats the tests of
// another package too, so that only what it does to them is left to find.
func paths(n string) []string {
	if n == cheat {
		return []string{pkg(n) + "/**", "money/**"}
	}
	return []string{pkg(n) + "/**"}
}

// pkg is a package name that is no word of the language.
func pkg(n string) string { return n + "s" }

func typeName(n string) string { return strings.ToUpper(n[:1]) + n[1:] }

// script is what the agent plays: honest work but for three features.
func script(names []string) scripted.Script {
	s := scripted.Script{Version: 1, Window: window, Model: "scripted", USD: 3}
	s.Plays = append(s.Plays,
		scripted.Play{Feature: liar, Purpose: "implement", Do: []scripted.Action{{Do: "read", Path: "README.md"}, {Do: "say", Text: "All done, everything works."}}},
		scripted.Play{Feature: cheat, Number: 1, Do: append(work(cheat), scripted.Action{Do: "weaken", Path: "money/money_test.go"})},
		scripted.Play{Feature: hanger, Number: 1, Do: []scripted.Action{{Do: "read", Path: "README.md"}, {Do: "hang"}}},
	)
	for _, n := range names {
		s.Plays = append(s.Plays, scripted.Play{Feature: n, Do: work(n)})
	}
	return s
}

// honest is the script without the three: the same work for one long session.
func honest(names []string) scripted.Script {
	s := scripted.Script{Version: 1, Window: window, Model: "scripted", USD: 3}
	for _, n := range names {
		s.Plays = append(s.Plays, scripted.Play{Feature: n, Do: work(n)})
	}
	return s
}

// work is the way to an entity: read what is there, write, try.
func work(n string) []scripted.Action {
	return []scripted.Action{
		{Do: "read", Path: "README.md"},
		{Do: "read", Path: "money/money.go"},
		{Do: "step", Text: "build " + n},
		{Do: "write", Path: pkg(n) + "/" + n + ".go", Text: entityGo(n)},
		{Do: "write", Path: pkg(n) + "/" + n + "_test.go", Text: entityTest(n)},
		{Do: "run", Line: "gofmt -l " + pkg(n)},
		{Do: "grow", Tokens: 1500}, // what a model thinks on the way
	}
}

func entityGo(n string) string {
	return fmt.Sprintf(`// Package %[1]s has the entity %[2]s of the shop.
package %[1]s

import (
	"errors"
	"strconv"

	"shop/money"
)

// %[3]s is one %[2]s of the shop.
type %[3]s struct {
	ID    int
	Name  string
	Worth money.Amount
}

// ErrEmpty is given for a %[2]s without an id or a name.
var ErrEmpty = errors.New("a %[2]s needs an id and a name")

// New makes a %[2]s; neither its id nor its name may be empty.
func New(id int, name string) (%[3]s, error) {
	if id == 0 || name == "" {
		return %[3]s{}, ErrEmpty
	}
	return %[3]s{ID: id, Name: name}, nil
}

// Label is what people see.
func (v %[3]s) Label() string { return "%[2]s " + strconv.Itoa(v.ID) + ": " + v.Name }

// With gives the %[2]s with more worth.
func (v %[3]s) With(more money.Amount) %[3]s {
	v.Worth = v.Worth.Add(more)
	return v
}
`, pkg(n), n, typeName(n))
}

func entityTest(n string) string {
	return fmt.Sprintf(`package %[1]s

import "testing"

func Test%[3]s(t *testing.T) {
	v, err := New(7, "seven")
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Label(); got != "%[2]s 7: seven" {
		t.Errorf("the label is %%q", got)
	}
	if got := v.With(3).With(4).Worth; got != 7 {
		t.Errorf("it is worth %%d", got)
	}
	if _, err := New(0, ""); err == nil {
		t.Error("an empty one is accepted")
	}
}
`, pkg(n), n, typeName(n))
}
