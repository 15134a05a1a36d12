package arch

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A number names a row of the acceptance list, a threat or a fault.
type number struct {
	class string // Row, T or F
	n     int
}

// String gives the number as the list writes it: 26, T7, F13.
func (n number) String() string {
	return strings.TrimPrefix(n.class, "Row") + strconv.Itoa(n.n)
}

// A proof is a test or a script with a number in its name.
type proof struct {
	name string
	path string // of a script, from the root of the repository; empty for a test
}

// These find the numbers in names: TestRow90And91…, TestF20AndF22…, x_row90_row91.txtar.
var (
	funcName = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	inTest   = regexp.MustCompile(`^(?:Test|Fuzz)(Row|T|F)(\d+)`)
	more     = regexp.MustCompile(`^And(Row|T|F)?(\d+)`)
	inScript = regexp.MustCompile(`_(row|t|f)(\d+)`)
)

// classes gives the class that the name of a script means.
var classes = map[string]string{"row": "Row", "t": "T", "f": "F"}

// TestEveryClaimHasATest: what the list claims has a test, and a test with a
// number is claimed.
func TestEveryClaimHasATest(t *testing.T) {
	for _, fault := range unproved(acceptance(t), proofs(t)) {
		t.Error(fault)
	}
}

// unproved gives what is wrong between the list and the tests.
func unproved(areas []area, found map[number][]proof) []string {
	var faults []string
	known := map[number]bool{}
	for _, e := range entries(areas) {
		known[e.number] = true
		have := found[e.number]
		if e.state != later && len(have) == 0 {
			faults = append(faults, e.number.String()+" is claimed, and no test has its number in its name")
		}
		if e.state == later && len(have) > 0 {
			faults = append(faults, have[0].name+" tests "+e.number.String()+", which "+listFile+" calls "+later)
		}
	}
	for _, n := range slices.SortedFunc(maps.Keys(found), byNumber) {
		if !known[n] {
			faults = append(faults, found[n][0].name+" tests "+n.String()+", which "+listFile+" does not have")
		}
	}
	return faults
}

func byNumber(a, b number) int {
	if c := strings.Compare(a.class, b.class); c != 0 {
		return c
	}
	return a.n - b.n
}

// proofs gives the tests and scripts of the repository by their numbers, scripts
// first.
func proofs(t *testing.T) map[number][]proof {
	t.Helper()
	root := filepath.Join("..", "..")
	found := map[number][]proof{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // another program's file that came and went
		}
		if err != nil {
			return err
		}
		if d.IsDir() {
			return enter(d.Name())
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		return collect(found, path, filepath.ToSlash(rel))
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := range found {
		slices.SortFunc(found[n], scriptsFirst)
		found[n] = slices.Compact(found[n]) // two packages can have a test of one name
	}
	return found
}

// enter skips the folders that hold no source: those of tools, and what was built.
func enter(name string) error {
	if name != ".." && (strings.HasPrefix(name, ".") || name == "bin") {
		return filepath.SkipDir
	}
	return nil
}

// collect adds the proofs of one file. Go files in testdata are never run.
func collect(found map[number][]proof, path, rel string) error {
	switch {
	case strings.HasSuffix(rel, ".txtar"):
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		for _, n := range scriptNumbers(name) {
			found[n] = append(found[n], proof{name, rel})
		}
	case strings.HasSuffix(rel, "_test.go") && !strings.Contains(rel, "testdata/"):
		b, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, m := range funcName.FindAllSubmatch(b, -1) {
			for _, n := range testNumbers(string(m[1])) {
				found[n] = append(found[n], proof{name: string(m[1])})
			}
		}
	}
	return nil
}

func scriptsFirst(a, b proof) int {
	if (a.path == "") != (b.path == "") {
		return strings.Compare(b.path, a.path)
	}
	return strings.Compare(a.name+a.path, b.name+b.path)
}

// testNumbers gives the numbers at the start of the name of a test. A number
// without a class has that of the one before.
func testNumbers(name string) []number {
	m := inTest.FindStringSubmatch(name)
	if m == nil {
		return nil
	}
	class := m[1]
	var list []number
	for m != nil {
		if m[1] != "" {
			class = m[1]
		}
		list = append(list, numberOf(class, m[2]))
		name = strings.TrimPrefix(name, m[0])
		m = more.FindStringSubmatch(name)
	}
	return list
}

func scriptNumbers(name string) []number {
	var list []number
	for _, m := range inScript.FindAllStringSubmatch(name, -1) {
		list = append(list, numberOf(classes[m[1]], m[2]))
	}
	return list
}

// numberOf takes digits that a pattern has found; too many of them give the
// largest number, which no list has.
func numberOf(class, digits string) number {
	n, _ := strconv.Atoi(digits)
	return number{class, n}
}

func TestNumbersInNames(t *testing.T) {
	row := func(list ...int) (out []number) {
		for _, n := range list {
			out = append(out, number{"Row", n})
		}
		return out
	}
	for name, want := range map[string][]number{
		"TestRow90And91Ready":      row(90, 91),
		"TestF20AndF22AndF23Flood": {{"F", 20}, {"F", 22}, {"F", 23}},
		"TestRow2AndT18And20Mixed": {{"Row", 2}, {"T", 18}, {"T", 20}},
		"FuzzT8Refs":               {{"T", 8}},
		"TestRowsOfATable":         nil,
		"TestToolsRow9":            nil,
	} {
		if got := testNumbers(name); !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v", name, got, want)
		}
	}
	if got, want := scriptNumbers("run_row38_t9_f3"), append(row(38), number{"T", 9}, number{"F", 3}); !slices.Equal(got, want) {
		t.Errorf("the script has %v, want %v", got, want)
	}
}

// TestClaimsAreCompared: each way in which the list and the tests can differ is
// reported.
func TestClaimsAreCompared(t *testing.T) {
	areas := []area{{entries: []entry{
		{number: number{"Row", 1}, state: held}, {number: number{"Row", 2}, state: part}, {number: number{"T", 1}, state: later},
	}}}
	found := map[number][]proof{{"Row", 1}: {{name: "TestRow1X"}}, {"T", 1}: {{name: "TestT1X"}}, {"F", 9}: {{name: "TestF9X"}}}
	want := []string{
		"2 is claimed, and no test has its number in its name",
		"TestT1X tests T1, which testdata/acceptance.txt calls later",
		"TestF9X tests F9, which testdata/acceptance.txt does not have",
	}
	if got := unproved(areas, found); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
