package detect

import (
	"slices"
	"strings"

	"kedge"
	"kedge/internal/text/lazyre"
)

// buildDir is a folder to build in that git ignores: one that the project names, else
// "build", which is then added to .gitignore.
func (f *folder) buildDir() string {
	for _, dir := range []string{"build", "_build", "builddir", "cmake-build-debug", "out", "bld"} {
		if f.ignores(dir) && !f.matches(dir+"/CMakeLists.txt") {
			return dir
		}
	}
	if f.matches("build/*") { // sources, or scripts
		f.leaves("builddir/")
		return "builddir"
	}
	f.leaves("build/")
	return "build"
}

var ctest = lazyre.New(`(?im)^\s*(enable_testing\s*\(|include\s*\(\s*CTest\b)`)

// cmakeChecks build outside of the sources and run what ctest knows.
func cmakeChecks(f *folder) []kedge.Check {
	if !f.has("CMakeLists.txt") || !cmakeProject.MatchString(f.read("CMakeLists.txt")) {
		return nil
	}
	dir := f.buildDir()
	line := "cmake -S . -B " + dir + " && cmake --build " + dir + " --parallel 4"
	tested := slices.ContainsFunc(append([]string{"CMakeLists.txt"}, f.glob("*/CMakeLists.txt")...), func(file string) bool { return ctest.MatchString(f.read(file)) })
	if !tested {
		f.note("CMakeLists.txt has no test that ctest could run (enable_testing)")
		return []kedge.Check{build(line)}
	}
	return []kedge.Check{test(line + " && cd " + dir + " && ctest --output-on-failure"), build(line)}
}

// cmakeProject is what the top file of a CMake project has.
var cmakeProject = lazyre.New(`(?im)^\s*project\s*\(`)

func mesonChecks(f *folder) []kedge.Check {
	if !f.has("meson.build") || !strings.Contains(f.read("meson.build"), "project(") {
		return nil
	}
	dir := f.buildDir()
	set := "{ test -f " + dir + "/build.ninja || meson setup " + dir + "; }"
	return []kedge.Check{test(set + " && meson test -C " + dir + " --print-errorlogs"), build(set + " && meson compile -C " + dir)}
}

// autotoolsChecks are make's, in a folder that was configured.
func autotoolsChecks(f *folder) []kedge.Check {
	if !f.has("configure.ac", "configure.in") || f.has("CMakeLists.txt", "meson.build") {
		return nil
	}
	line := "autoreconf -fi && ./configure"
	switch {
	case f.has("configure"):
		line = f.executable("configure")
	case f.has("autogen.sh"):
		line = "NOCONFIGURE=1 " + f.executable("autogen.sh") + " && ./configure"
	case f.has("bootstrap"):
		line = f.executable("bootstrap") + " && ./configure"
	case f.has("bootstrap.sh"):
		line = f.executable("bootstrap.sh") + " && ./configure"
	}
	f.prepares(line, "config.status")
	f.leaves("config.status")
	return []kedge.Check{test("make check"), build("make")}
}
