package detect

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"kedge"
	"kedge/internal/text/lazyre"
)

// application is how a project's own program is started so that checks can ask it.
type application struct {
	run  string // a shell line; the program listens on $KEDGE_PORT of this machine
	path string // that answers a GET with 200; empty: only that it listens is known
	from string // what says so, for a note
}

// look finds an application in a folder; from is empty when it has none. One with a
// note and no line is there, and cannot be told a port.
type look func(*folder) application

// looks are the ways to find one; the first counts. What people wrote down for
// starting comes before what follows from the sources.
var looks = []look{procfileApp, nodeApp, djangoApp, railsApp, goApp, pythonApp, makeApp}

// addApplication proposes the application as a service with a check that it answers,
// and what the project calls a smoke check. Only an application that can be told its
// port is proposed: two sessions may start it at once.
func (f *folder) addApplication(found Found) Found {
	for _, l := range looks {
		app := l(f)
		if app.from == "" {
			continue
		}
		if app.run == "" {
			f.note(app.from + " may start the application, but Kedge found no way to give it a port: add it to .kedge/gate.toml as a [[service]] that listens on $KEDGE_PORT")
			continue
		}
		found.Services = append(found.Services, kedge.Service{Name: "app", Run: app.run, Ready: "tcp://127.0.0.1:{port}"})
		found.Checks = append(found.Checks, answers(app))
		break
	}
	if c, ok := smoke(f); ok {
		found.Checks = append(found.Checks, c)
	}
	found.Notes = append(found.Notes, f.notes...)
	f.notes = nil
	return found
}

// answers is the check that an application is up.
func answers(app application) kedge.Check {
	if app.path == "" {
		return kedge.Check{Name: "app-answers", Kind: kedge.CheckTCP, TCP: "127.0.0.1:{port}"}
	}
	return kedge.Check{Name: "app-answers", Kind: kedge.CheckHTTP, HTTP: &kedge.HTTPCheck{URL: "http://127.0.0.1:{port}" + app.path, Status: 200}}
}

// smoke finds what the project itself calls a smoke check.
func smoke(f *folder) (kedge.Check, bool) {
	check := func(run string) (kedge.Check, bool) {
		return kedge.Check{Name: "smoke", Kind: kedge.CheckE2E, Run: run}, true
	}
	if p, ok := f.nodePackage(); ok {
		for _, script := range []string{"smoke", "smoke-test", "smoketest", "test:smoke"} {
			if p.Scripts[script] != "" {
				return check(nodeRunner(f, p) + " run " + script)
			}
		}
	}
	targets, _ := makefile(f)
	for _, target := range []string{"smoke", "smoke-test", "smoketest"} {
		if targets[target] {
			return check("make " + target)
		}
	}
	for _, script := range []string{"smoke.sh", "smoke-test.sh", "scripts/smoke.sh", "scripts/smoke-test.sh", "scripts/smoke", "bin/smoke", "test/smoke.sh", "tests/smoke.sh"} {
		if f.has(script) {
			return check(f.executable(script))
		}
	}
	return kedge.Check{}, false
}

// procfileApp is the process "web" of a Procfile. Such programs take their port from PORT.
func procfileApp(f *folder) application {
	for line := range strings.Lines(f.read("Procfile")) {
		run, ok := strings.CutPrefix(strings.TrimSpace(line), "web:")
		odd := !utf8.ValidString(run) || strings.ContainsFunc(run, func(r rune) bool { return r != '\t' && unicode.IsControl(r) })
		if ok && strings.TrimSpace(run) != "" && !odd {
			return application{run: "export PORT=$KEDGE_PORT; " + strings.TrimSpace(run), from: "the Procfile"}
		}
	}
	return application{}
}

// portFlags are servers of Node that take their port as an argument, and answer at /.
var portFlags = []struct {
	name *lazyre.Regexp
	flag string
}{
	{lazyre.New(`(^|[\s/&;])vite(\s+(dev|serve))?(\s+-|\s*$|\s*&)`), "--host 127.0.0.1 --strictPort --port $KEDGE_PORT"},
	{lazyre.New(`(^|[\s/&;])next\s+(dev|start)\b`), "--hostname 127.0.0.1 --port $KEDGE_PORT"},
	{lazyre.New(`(^|[\s/&;])astro\s+(dev|preview)\b`), "--host 127.0.0.1 --port $KEDGE_PORT"},
	{lazyre.New(`(^|[\s/&;])nuxi?t?\s+dev\b`), "--host 127.0.0.1 --port $KEDGE_PORT"},
	{lazyre.New(`(^|[\s/&;])ng\s+serve\b`), "--host 127.0.0.1 --port $KEDGE_PORT"},
	{lazyre.New(`(^|[\s/&;])(webpack\s+serve|webpack-dev-server)\b`), "--host 127.0.0.1 --port $KEDGE_PORT"},
	{lazyre.New(`(^|[\s/&;])http-server\b`), "-a 127.0.0.1 -p $KEDGE_PORT"},
}

// rebuilds is a script that builds again whenever a file changes: it starts no application.
var rebuilds = lazyre.New(`\b(tsc|rollup|tsup|microbundle|webpack|esbuild|sass|babel|swc)\b[^&|;]*\s(-w|--watch)\b|\b(nx|turbo|lerna) watch\b|\bunbuild --stub\b`)

// nodePort is where a program of Node reads its port.
var nodePort = lazyre.New(`process\.env(\.PORT\b|\[['"]PORT['"]\])|\$\{?PORT\b`)

func nodeApp(f *folder) application {
	p, ok := f.nodePackage()
	if !ok {
		return application{}
	}
	for _, script := range []string{"dev", "start", "serve"} {
		line := p.Scripts[script]
		if _, text := p.reach(script); line == "" || rebuilds.MatchString(text) {
			continue
		}
		from, run := "the script "+script+" of package.json", nodeRunner(f, p)+" run "+script
		for _, known := range portFlags {
			if known.name.MatchString(line) {
				return application{run: run + nodeArgs(f, p) + known.flag, path: "/", from: from}
			}
		}
		if strings.Contains(line, "react-scripts start") {
			return application{run: "BROWSER=none HOST=127.0.0.1 PORT=$KEDGE_PORT " + run, path: "/", from: from}
		}
		if source := f.sources(nodePort, line, "*.js", "*.mjs", "*.cjs", "*.ts", "src/*.js", "src/*.ts", "src/*.mjs", "server/*.js", "server/*.ts", "app/*.js", "bin/*"); source != "" {
			return application{run: "PORT=$KEDGE_PORT " + run, path: health(source), from: from}
		}
		return application{from: from}
	}
	return application{}
}

// nodeArgs stands before arguments for a script.
func nodeArgs(f *folder, p packageJSON) string {
	if nodeRunner(f, p) == "npm" {
		return " -- "
	}
	return " "
}

// sources gives the text of a line, or of the files of some patterns, where it shows
// what is looked for; empty: none does.
func (f *folder) sources(want *lazyre.Regexp, line string, patterns ...string) string {
	if want.MatchString(line) {
		return line
	}
	for _, pattern := range patterns {
		for _, name := range f.glob(pattern) {
			if text := f.read(name); want.MatchString(text) {
				return text
			}
		}
	}
	return ""
}

var healthRoute = lazyre.New(`["'` + "`" + `](?:GET )?(/(?:api/)?(?:healthz?|health-check|healthcheck|ping|livez|readyz|up))/?["'` + "`" + `]`)

// health is a route of a source by which it says that it lives; empty: it has none.
func health(source string) string {
	if m := healthRoute.FindStringSubmatch(source); m != nil {
		return m[1]
	}
	return ""
}

// djangoApp is Django's own server. It opens the database: a file that git would see
// voids every verdict.
func djangoApp(f *folder) application {
	if !f.has("manage.py") {
		return application{}
	}
	if !f.has("db.sqlite3") && !f.ignores("db.sqlite3", "*.sqlite3", "*.sqlite") {
		f.note("manage.py runserver is not proposed: it may create db.sqlite3, which .gitignore does not name")
		return application{}
	}
	return application{run: f.python() + " manage.py runserver --noreload 127.0.0.1:$KEDGE_PORT", from: "manage.py"}
}

func railsApp(f *folder) application {
	if !f.has("bin/rails") || !f.has("config/application.rb") {
		return application{}
	}
	app := application{run: f.executable("bin/rails") + " server -b 127.0.0.1 -p $KEDGE_PORT -P tmp/pids/kedge.pid", from: "bin/rails"}
	if strings.Contains(f.read("config/routes.rb"), "rails/health#show") {
		app.path = "/up"
	}
	return app
}

var (
	goMain   = lazyre.New(`(?m)^package main\b`)
	goServer = lazyre.New(`\.(ListenAndServe|Serve|Run|Start|Listen)\(`)
	goPort   = lazyre.New(`os\.(Getenv|LookupEnv)\("PORT"\)`)
	goHTTP   = lazyre.New(`"net/http"|gin-gonic|labstack/echo|gofiber/fiber|go-chi`)
	goFlag   = lazyre.New(`flag\.(?:String|Int)(?:Var)?\([^\n]*?"(addr|address|listen|http|port)"`)
)

// goApp is a main package that serves HTTP, at the top or below cmd.
func goApp(f *folder) application {
	if !f.has("go.mod") {
		return application{}
	}
	for _, pattern := range []string{"main.go", "cmd/*/main.go", "*.go"} {
		for _, name := range f.glob(pattern) {
			text := f.read(name)
			if strings.HasSuffix(name, "_test.go") || !goMain.MatchString(text) || !goHTTP.MatchString(text) || !goServer.MatchString(text) {
				continue
			}
			run, from := "go run "+quote("./"+path.Dir(name)), name
			if path.Dir(name) == "." {
				run = "go run ."
			}
			switch m := goFlag.FindStringSubmatch(text); {
			case goPort.MatchString(text):
				return application{run: "PORT=$KEDGE_PORT " + run, path: health(text), from: from}
			case m != nil && m[1] == "port":
				return application{run: run + " -port $KEDGE_PORT", path: health(text), from: from}
			case m != nil:
				return application{run: run + " -" + m[1] + " 127.0.0.1:$KEDGE_PORT", path: health(text), from: from}
			default:
				return application{from: from}
			}
		}
	}
	return application{}
}

var (
	flaskApp   = lazyre.New(`(?m)^(\w+)\s*=\s*Flask\(`)
	fastApp    = lazyre.New(`(?m)^(\w+)\s*(?::\s*FastAPI\s*)?=\s*FastAPI\(`)
	pythonServ = lazyre.New(`HTTPServer\(|\.run\(|serve_forever\(|uvicorn\.run\(|run_simple\(`)
	pythonPort = lazyre.New(`(environ(\.get)?|getenv)[\[(]\s*['"]PORT['"]`)
)

// pythonApp is an application of Flask or FastAPI, or a script that serves on PORT.
func pythonApp(f *folder) application {
	for _, name := range []string{"app.py", "main.py", "server.py", "wsgi.py", "asgi.py", "app/main.py", "src/app.py", "src/main.py"} {
		text := f.read(name)
		if text == "" {
			continue
		}
		tool, module := f.python()+" ", strings.ReplaceAll(strings.TrimSuffix(name, ".py"), "/", ".")
		if m := fastApp.FindStringSubmatch(text); m != nil {
			return application{run: tool + "-m uvicorn " + module + ":" + m[1] + " --host 127.0.0.1 --port $KEDGE_PORT", path: health(text), from: name}
		}
		if m := flaskApp.FindStringSubmatch(text); m != nil {
			return application{run: tool + "-m flask --app " + module + ":" + m[1] + " run --host 127.0.0.1 --port $KEDGE_PORT", path: health(text), from: name}
		}
		if pythonServ.MatchString(text) && pythonPort.MatchString(text) {
			return application{run: "PORT=$KEDGE_PORT " + tool + quote(name), path: health(text), from: name}
		}
	}
	return application{}
}

var makePort = lazyre.New(`\$[({]PORT[)}]|\$\$\{?PORT\b`)

// makeApp is a target that starts the application, of a Makefile that speaks of PORT.
func makeApp(f *folder) application {
	targets, text := makefile(f)
	for _, target := range []string{"serve", "dev", "run", "start", "server", "runserver"} {
		switch {
		case targets[target] && makePort.MatchString(text):
			return application{run: "make " + target + " PORT=$KEDGE_PORT", from: "the target " + target + " of the Makefile"}
		case targets[target] && (target == "serve" || target == "server" || target == "runserver"):
			return application{from: "the target " + target + " of the Makefile"}
		}
	}
	return application{}
}

// makefile gives the targets of the folder's Makefile, and its text.
func makefile(f *folder) (map[string]bool, string) {
	text := ""
	for _, file := range []string{"GNUmakefile", "makefile", "Makefile"} { // the order in which make looks
		if f.has(file) {
			text = f.read(file)
			break
		}
	}
	has := map[string]bool{}
	for _, m := range makeTarget.FindAllStringSubmatch(text, -1) {
		for target := range strings.FieldsSeq(m[1]) {
			has[target] = true
		}
	}
	return has, text
}

// moved puts services of a folder below the top where they are found.
func moved(services []kedge.Service, dir string) []kedge.Service {
	out := slices.Clone(services)
	for i := range out {
		out[i].Name, out[i].Run = name(dir+"-"+out[i].Name), "cd "+quote(dir)+" && "+out[i].Run
	}
	return out
}
