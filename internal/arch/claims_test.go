package arch

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// claimed are the rows of the acceptance list, the threats and the faults that
// this build says it holds. Each must have a test, or a script, with its number
// in its name.
var claimed = map[string][]int{
	"Row": {2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 53, 54, 55, 56, 58, 60, 61, 62, 63, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 104, 105, 106},
	"T":   {4, 6, 7, 8, 9, 10, 15, 16, 17, 18, 19, 20, 23},
	"F":   {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32},
}

// name matches the function names of tests and fuzz targets; number finds the
// numbers in one: TestRow90And91…, TestT7…
var (
	funcName = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	number   = regexp.MustCompile(`^(?:Test|Fuzz)(Row|T|F)(\d+)`)
	inScript = regexp.MustCompile(`_(row|t|f)(\d+)`)
	more     = regexp.MustCompile(`^And(Row|T|F)?(\d+)`)
)

// classes are the classes by what names of scripts call them.
var classes = map[string]string{"row": "Row", "t": "T", "f": "F"}

func TestEveryClaimHasATest(t *testing.T) {
	found := map[string]bool{}
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // another program's file that came and went
		}
		if err != nil {
			return err
		}
		if d.IsDir() {
			return enter(d.Name())
		}
		if strings.HasSuffix(path, ".txtar") {
			for _, m := range inScript.FindAllStringSubmatch(filepath.Base(path), -1) {
				found[classes[m[1]]+m[2]] = true
			}
		}
		if strings.HasSuffix(path, "_test.go") {
			return collect(path, found)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for class, numbers := range claimed {
		for _, n := range numbers {
			if key := class + strconv.Itoa(n); !found[key] {
				t.Errorf("%s is claimed and no test has its number", key)
			}
		}
	}
}

// enter says which folders hold no source: those of tools, and what was built.
func enter(name string) error {
	if name != ".." && (strings.HasPrefix(name, ".") || name == "bin") {
		return filepath.SkipDir
	}
	return nil
}

func collect(path string, found map[string]bool) error {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, m := range funcName.FindAllSubmatch(b, -1) {
		name := m[1]
		first := number.FindSubmatch(name)
		if first == nil {
			continue
		}
		class := string(first[1])
		found[class+string(first[2])] = true
		for rest := name[len(first[0]):]; ; {
			next := more.FindSubmatch(rest)
			if next == nil {
				break
			}
			if len(next[1]) > 0 {
				class = string(next[1])
			}
			found[class+string(next[2])] = true
			rest = bytes.TrimPrefix(rest, next[0])
		}
	}
	return nil
}
