package gate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// goPackages knows which Go packages a changed file concerns: its own, and all
// that import it, in their tests too. It asks the go command once.
type goPackages struct {
	dir string
	env []string

	asked bool
	err   error
	byDir map[string]*goPackage // by folder, relative to dir
	all   []*goPackage
}

type goPackage struct {
	ImportPath, Dir                             string
	Deps, TestImports, XTestImports             []string
	EmbedFiles, TestEmbedFiles, XTestEmbedFiles []string

	uses map[string]bool // import paths it needs to build and to test
}

// whole files change everything that a build or a test of any package means.
var wholeFiles = []string{"go.mod", "go.sum", "go.work", "go.work.sum"}

// nativeSources are files that belong to a package without being Go.
var nativeSources = []string{".c", ".h", ".s", ".S", ".cc", ".cpp", ".cxx", ".m", ".syso"}

// touchedBy gives the packages to test and, for each changed path that selects
// any, which. Where the go command cannot tell, that is all of them.
func (p *goPackages) touchedBy(ctx context.Context, paths []string) (packages, why []string, err error) {
	if len(paths) == 0 {
		return nil, nil, nil
	}
	if p.load(ctx); ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if p.err != nil {
		return []string{"./..."}, []string{fmt.Sprintf("%s -> ./... (all packages, because go list failed: %v)", paths[0], p.err)}, nil //nolint:nilerr // then everything is selected
	}
	chosen := map[string]bool{}
	for _, f := range paths {
		names, whole := p.concerns(f)
		if whole {
			return []string{"./..."}, []string{f + " -> ./..."}, nil
		}
		if len(names) > 0 {
			why = append(why, f+" -> "+shorten(names, 10))
		}
		for _, n := range names {
			chosen[n] = true
		}
	}
	for _, pkg := range p.all {
		if chosen[pkg.ImportPath] {
			packages = append(packages, pkg.ImportPath)
		}
	}
	return packages, why, nil
}

// concerns gives the packages that one changed file concerns; whole when that
// cannot be told from the list, as for the files of a package that is gone.
func (p *goPackages) concerns(file string) (names []string, whole bool) {
	if slices.Contains(wholeFiles, file) || strings.HasPrefix(file, "vendor/") {
		return nil, true
	}
	dir := path.Dir(file)
	if i := testdataAt(file); i >= 0 {
		if pkg := p.byDir[path.Clean(file[:i]+".")]; pkg != nil {
			return []string{pkg.ImportPath}, false
		}
		return nil, false
	}
	if ext := path.Ext(file); ext == ".go" || slices.Contains(nativeSources, ext) {
		pkg := p.byDir[dir]
		if pkg == nil {
			return nil, ext == ".go"
		}
		return p.dependents(pkg), false
	}
	for _, pkg := range p.all {
		if pkg.embeds(p.rel(pkg.Dir), file) {
			return p.dependents(pkg), false
		}
	}
	return nil, false
}

// testdataAt is where "testdata/" starts in the path, or -1.
func testdataAt(file string) int {
	if strings.HasPrefix(file, "testdata/") {
		return 0
	}
	if i := strings.Index(file, "/testdata/"); i >= 0 {
		return i + 1
	}
	return -1
}

func (pkg *goPackage) embeds(dir, file string) bool {
	for _, f := range slices.Concat(pkg.EmbedFiles, pkg.TestEmbedFiles, pkg.XTestEmbedFiles) {
		if path.Join(dir, f) == file {
			return true
		}
	}
	return false
}

// dependents gives the package itself and all that need it.
func (p *goPackages) dependents(changed *goPackage) []string {
	names := []string{changed.ImportPath}
	for _, pkg := range p.all {
		if pkg != changed && pkg.uses[changed.ImportPath] {
			names = append(names, pkg.ImportPath)
		}
	}
	return names
}

const listFields = "ImportPath,Dir,Deps,TestImports,XTestImports,EmbedFiles,TestEmbedFiles,XTestEmbedFiles"

// listTimeout bounds the go command; it reads files and runs nothing.
const listTimeout = 5 * time.Minute

func (p *goPackages) load(ctx context.Context) {
	if p.asked {
		return
	}
	p.asked = true
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	// Through the shell, because it finds go on the request's PATH, not on ours.
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", "exec go list -e -json="+listFields+" ./...")
	cmd.Dir, cmd.Env = p.dir, p.env
	cmd.WaitDelay = time.Minute
	out, err := cmd.Output()
	if err != nil {
		p.err = err
		return
	}
	p.err = p.read(out)
}

// read takes the list and works out what each package needs.
func (p *goPackages) read(out []byte) error {
	p.byDir = map[string]*goPackage{}
	dec := json.NewDecoder(bytes.NewReader(out))
	deps := map[string][]string{}
	for {
		pkg := &goPackage{}
		if err := dec.Decode(pkg); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		p.all = append(p.all, pkg)
		p.byDir[p.rel(pkg.Dir)] = pkg
		deps[pkg.ImportPath] = pkg.Deps
	}
	for _, pkg := range p.all {
		pkg.uses = map[string]bool{}
		for _, imp := range slices.Concat(pkg.Deps, pkg.TestImports, pkg.XTestImports) {
			pkg.uses[imp] = true
			for _, d := range deps[imp] {
				pkg.uses[d] = true
			}
		}
	}
	if len(p.all) == 0 {
		return errors.New("go list found no Go package")
	}
	return nil
}

// rel is a folder as changed paths name it.
func (p *goPackages) rel(dir string) string {
	for _, base := range []string{p.dir, realPath(p.dir)} {
		if r, err := filepath.Rel(base, dir); err == nil && r != ".." && !strings.HasPrefix(r, "../") {
			return filepath.ToSlash(r)
		}
	}
	return dir
}

func realPath(p string) string {
	if r, err := filepath.EvalSymlinks(p); err == nil {
		return r
	}
	return p
}
