package detect

import (
	"slices"
	"strings"

	"kedge/internal/text/lazyre"
)

// pythonTools are programs that keep an environment by a lock file: how they start a
// command in it, and how they make it.
var pythonTools = []struct{ lock, run, sync string }{
	{"uv.lock", "uv run", "uv sync"},
	{"poetry.lock", "poetry run", "poetry install"},
	{"pdm.lock", "pdm run", "pdm install"},
	{"Pipfile.lock", "pipenv run", "pipenv install --dev"},
}

// locked is the tool whose lock file the project has, where this machine has the tool.
func (f *folder) locked() (run, sync string) {
	for _, t := range pythonTools {
		if f.has(t.lock) && f.lacks(t.run) == "" {
			return t.run, t.sync
		}
	}
	return "", ""
}

// python is the interpreter that has what the project needs: of the environment that a
// lock file stands for, of one in the folder, else the machine's. What lies in src is
// found there: an editable install on this machine is of your folder, whatever worktree
// asks.
func (f *folder) python() string {
	if run, _ := f.locked(); run != "" {
		return run + " python3"
	}
	if env := f.venv(); env != "" {
		return env + "/bin/python"
	}
	if f.srcLayout() {
		return "PYTHONPATH=src python3"
	}
	return "python3"
}

// srcLayout tells whether the packages lie in src.
func (f *folder) srcLayout() bool { return f.matches("src/*/__init__.py") || f.matches("src/*.py") }

// venv is the folder of the environment: the one that is there, or one to make where the
// project needs what this machine does not have for everybody. Empty: none is needed.
func (f *folder) venv() string {
	for _, dir := range []string{".venv", "venv", ".env", "env"} {
		if f.has(dir + "/pyvenv.cfg") {
			return dir
		}
	}
	pytest := usesPytest(f) || pythonTests(f).functions
	if pytest && f.there("pytest") || !pytest && !f.needsPackages() {
		return ""
	}
	for _, dir := range []string{".venv", "venv", "env"} {
		if f.ignores(dir) {
			return dir
		}
	}
	return ".venv"
}

var (
	// needed is a list of packages in pyproject.toml, setup.py or setup.cfg.
	needed = lazyre.New(`(?m)^\s*(dependencies\s*=\s*\[\s*[^\]\s]|install_requires\s*=\s*(\[\s*[^\]\s]|\s*\n?\s+\w))`)
	// editableLine is a line of requirements.txt that installs the project itself.
	editableLine = lazyre.New(`(?m)^\s*(-e|--editable)[ =]\s*['"]?\.`)
	// requirement is a line that names one.
	requirement = lazyre.New(`(?m)^\s*[A-Za-z0-9]`)
)

// needsPackages tells whether the project cannot be tested by a bare interpreter.
func (f *folder) needsPackages() bool {
	return requirement.MatchString(f.read("requirements.txt")) ||
		slices.ContainsFunc([]string{"pyproject.toml", "setup.py", "setup.cfg"}, func(file string) bool { return needed.MatchString(f.read(file)) })
}

// pythonSetup proposes how an environment comes into a fresh worktree. Run is the line that
// uses it.
func (f *folder) pythonSetup(run string) {
	if strings.HasPrefix(run, "tox") || run == "nox" {
		return // they make their own
	}
	if _, sync := f.locked(); sync != "" {
		f.prepares(f.synced(sync))
		return
	}
	for _, t := range pythonTools {
		if f.has(t.lock) {
			f.note(Programs(t.run)[0] + " is not installed, so Kedge uses `" + run + "` and not " + t.lock)
		}
	}
	env := f.venv()
	if env == "" {
		return
	}
	f.leaves(env + "/")
	line := "python3 -m venv " + env
	if list := f.installs(strings.Contains(run, "pytest")); list != "" {
		pip := " && " + env + "/bin/python -m pip install -q"
		if strings.Contains(list, " --group ") { // the pip of an older Python does not know it
			line += pip + " 'pip>=25.1'"
		}
		line += pip + list
	}
	f.prepares(line, env+"/bin/python")
}

// synced is the line of a tool with what the tests need: extras, and the packages of a
// workspace.
func (f *folder) synced(line string) string {
	text := f.read("pyproject.toml")
	if strings.HasPrefix(line, "uv") && strings.Contains(text, "[tool.uv.workspace]") {
		line += " --all-packages"
	}
	if (strings.HasPrefix(line, "uv") || strings.HasPrefix(line, "poetry")) && pytestWord.MatchString(section(text, "project.optional-dependencies")) {
		line += " --all-extras"
	}
	return line
}

// installs is what pip is to install: the project itself, so that its sources are used,
// and what the tests need.
func (f *folder) installs(pytest bool) string {
	out, text, list := "", f.read("pyproject.toml"), f.read("requirements.txt")
	project := strings.Contains(text, "[project]") || strings.Contains(text, "[tool.poetry]") || f.has("setup.py")
	if project && !editableLine.MatchString(list) {
		out = " -e " + f.editable(text)
		if !strings.Contains(f.read(".gitignore"), "egg-info") { // setuptools leaves it
			f.leaves("*.egg-info/")
		}
	}
	named := pytestWord.MatchString(section(text, "project.optional-dependencies")) && out != ""
	if pytestWord.MatchString(list) || editableLine.MatchString(list) || !project && requirement.MatchString(list) {
		out, named = out+" -r requirements.txt", named || pytestWord.MatchString(list)
	}
	for _, file := range devRequirements {
		if f.has(file) {
			out, named = out+" -r "+file, named || pytestWord.MatchString(f.read(file))
			break
		}
	}
	for _, group := range []string{"test", "tests", "testing", "dev"} {
		if list := entry(section(text, "dependency-groups"), group); list != "" && !named {
			out, named = out+" --group "+group, pytestWord.MatchString(list)
			break
		}
	}
	if pytest && !named {
		out += " pytest"
	}
	return out
}

// editable is the project with its extra for tests.
func (f *folder) editable(text string) string {
	for _, extra := range []string{"test", "tests", "testing", "dev", "develop"} {
		if entry(section(text, "project.optional-dependencies"), extra) != "" || strings.Contains(f.read("setup.py"), `"`+extra+`":`) {
			return quote(".[" + extra + "]")
		}
	}
	return "."
}

var tomlTable = lazyre.New(`(?m)^\s*\[([^\[\]]+)\]\s*(#.*)?$`)

// section is the text of a table of a TOML file, as far as people write them.
func section(text, name string) string {
	for _, at := range tomlTable.FindAllStringSubmatchIndex(text, -1) {
		if strings.TrimSpace(text[at[2]:at[3]]) != name {
			continue
		}
		rest := text[at[1]:]
		if next := tomlTable.FindStringIndex(rest); next != nil {
			rest = rest[:next[0]]
		}
		return rest
	}
	return ""
}

// entry is the value of a key in such a text, up to the next key.
func entry(text, key string) string {
	var out []string
	inside := false
	for line := range strings.Lines(text) {
		name, value, found := strings.Cut(line, "=")
		if name = strings.Trim(strings.TrimSpace(name), `"`); found && !strings.ContainsAny(name, " \"'[]<>!~,") {
			inside, line = name == key, value
		}
		if inside {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}
