package detect_test

import (
	"strings"
	"testing"
	"testing/fstest"

	rules "kedge/internal/core/check"
	"kedge/internal/core/config"
	"kedge/internal/core/detect"
	"kedge/internal/core/scaffold"
)

func TestRow120ApplicationsAreProposed(t *testing.T) {
	const server = "package main\n\nimport (\n\t\"net/http\"\n\t\"os\"\n)\n\nfunc main() {\n"
	for _, c := range []struct {
		name  string
		files fstest.MapFS
		run   string // of the service; empty: none is proposed
		check string // that asks it
		smoke string
		note  string
	}{
		{"vite", files("package.json", `{"scripts":{"dev":"vite"}}`), "npm run dev -- --host 127.0.0.1 --strictPort --port $KEDGE_PORT", "http://127.0.0.1:{port}/", "", ""},
		{"next, by pnpm", files("package.json", `{"scripts":{"dev":"next dev"}}`, "pnpm-lock.yaml", ""), "pnpm run dev --hostname 127.0.0.1 --port $KEDGE_PORT", "http://127.0.0.1:{port}/", "", ""},
		{"express", files("package.json", `{"scripts":{"start":"node server.js"}}`, "server.js", "app.get('/healthz', f); app.listen(process.env.PORT || 3000)"), "PORT=$KEDGE_PORT npm run start", "http://127.0.0.1:{port}/healthz", "", ""},
		{"a port of its own", files("package.json", `{"scripts":{"start":"node server.js"}}`, "server.js", "app.listen(3000)"), "", "", "", "the script start of package.json may start the application"},
		{"a script that builds again", files("package.json", `{"scripts":{"dev":"npm run watch","watch":"tsc -p . --watch"}}`), "", "", "", ""},
		{"a build script", files("package.json", `{"scripts":{"build":"tsc"}}`), "", "", "", ""},
		{"Procfile", files("Procfile", "release: ./migrate\nweb: gunicorn app:app -b :$PORT\n"), "export PORT=$KEDGE_PORT; gunicorn app:app -b :$PORT", "127.0.0.1:{port}", "", ""},
		{"Django", files("manage.py", "", ".gitignore", "db.sqlite3\n", "tests.py", ""), "python3 manage.py runserver --noreload 127.0.0.1:$KEDGE_PORT", "127.0.0.1:{port}", "", ""},
		{"Rails", files("bin/rails", "#!/usr/bin/env ruby\n", "config/application.rb", "", "config/routes.rb", `get "up" => "rails/health#show"`), "sh bin/rails server -b 127.0.0.1 -p $KEDGE_PORT -P tmp/pids/kedge.pid", "http://127.0.0.1:{port}/up", "", ""},
		{"Go, by the environment", files("go.mod", "module x\n", "main.go", server+`http.HandleFunc("/health", h); http.ListenAndServe(":"+os.Getenv("PORT"), nil)`), "PORT=$KEDGE_PORT go run .", "http://127.0.0.1:{port}/health", "", ""},
		{"Go, by a flag", files("go.mod", "module x\n", "cmd/web/main.go", server+`a := flag.String("addr", ":80", ""); http.ListenAndServe(*a, nil)`), "go run ./cmd/web -addr 127.0.0.1:$KEDGE_PORT", "127.0.0.1:{port}", "", ""},
		{"Go, a port of its own", files("go.mod", "module x\n", "main.go", server+`http.ListenAndServe(":80", nil)`), "", "", "", "main.go may start the application"},
		{"Go, in a comment", files("go.mod", "module x\n", "doc.go", "/*\n\tpackage main\n\timport \"net/http\"\n\thttp.ListenAndServe(x, nil)\n*/\npackage x\n"), "", "", "", ""},
		{"Go, a tool", files("go.mod", "module x\n", "main.go", "package main\n\nfunc main() {}\n"), "", "", "", ""},
		{"Flask", files("app.py", "from flask import Flask\napp = Flask(__name__)\n", "requirements.txt", "flask\npytest\n"), "python3 -m flask --app app:app run --host 127.0.0.1 --port $KEDGE_PORT", "127.0.0.1:{port}", "", ""},
		{"FastAPI", files("app/main.py", "api = FastAPI()\n@api.get('/health')\n", "uv.lock", "", "pyproject.toml", "pytest"), "uv run python3 -m uvicorn app.main:api --host 127.0.0.1 --port $KEDGE_PORT", "http://127.0.0.1:{port}/health", "", ""},
		{"a Python script", files("server.py", "HTTPServer(('', int(os.environ.get('PORT', 80))), H).serve_forever()\n"), "PORT=$KEDGE_PORT python3 server.py", "127.0.0.1:{port}", "", ""},
		{"make", files("Makefile", "serve:\n\t./web --port $(PORT)\n\nsmoke:\n\tcurl x\n"), "make serve PORT=$KEDGE_PORT", "127.0.0.1:{port}", "make smoke", ""},
		{"a smoke script", files("package.json", `{"scripts":{"smoke":"node smoke.js","test":"jest"}}`), "", "", "npm run smoke", ""},
		{"a smoke file", files("scripts/smoke.sh", "#!/bin/sh\n"), "", "", "sh scripts/smoke.sh", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := detect.Project(c.files, nil)
			run := ""
			for _, v := range found.Services {
				run += v.Run
			}
			if run != c.run {
				t.Errorf("service %q, want %q", run, c.run)
			}
			asks, smoke := "", ""
			for _, k := range found.Checks {
				switch {
				case k.HTTP != nil:
					asks = k.HTTP.URL
				case k.TCP != "":
					asks = k.TCP
				case k.Name == "smoke":
					smoke = k.Run
				}
				if f := rules.Validate(k); f != nil {
					t.Error(f.What)
				}
			}
			if asks != c.check || smoke != c.smoke {
				t.Errorf("asks %q, smoke %q; want %q, %q", asks, smoke, c.check, c.smoke)
			}
			if c.note != "" && !strings.Contains(strings.Join(found.Notes, "\n"), c.note) {
				t.Errorf("notes %q", found.Notes)
			}
			g, err := config.ParseGate("gate.toml", []byte(scaffold.Gate(found.Checks, found.Services, scaffold.Left{})))
			if err != nil || len(g.Services) != len(found.Services) || len(g.Checks) != len(found.Checks) {
				t.Errorf("gate.toml: %+v, %v", g, err)
			}
		})
	}
}

func TestRow120OneApplicationBelowTheTop(t *testing.T) {
	found := detect.Project(files("api/package.json", `{"scripts":{"dev":"vite","test":"jest"}}`, "web/package.json", `{"scripts":{"dev":"vite","test":"jest"}}`), nil)
	if len(found.Services) != 1 || found.Services[0].Name != "api-app" || !strings.HasPrefix(found.Services[0].Run, "cd api && npm run dev") {
		t.Errorf("%+v", found.Services)
	}
	if !strings.Contains(strings.Join(found.Notes, "\n"), "web: only one application is proposed") {
		t.Errorf("notes %q", found.Notes)
	}
}

func FuzzApplication(f *testing.F) {
	f.Add("package.json", `{"scripts":{"dev":"vite"}}`)
	f.Add("Procfile", "web: x")
	f.Fuzz(func(t *testing.T, name, text string) {
		m := fstest.MapFS{}
		if name == "" || strings.HasPrefix(name, "/") || strings.Contains(name, "..") || strings.HasSuffix(name, "/") {
			return
		}
		m[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
		found := detect.Project(m, nil)
		if _, err := config.ParseGate("gate.toml", []byte(scaffold.Gate(found.Checks, found.Services, scaffold.Left{}))); err != nil {
			t.Errorf("%q %q: %v", name, text, err)
		}
	})
}
