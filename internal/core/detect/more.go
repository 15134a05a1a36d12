package detect

import (
	"kedge"
	"kedge/internal/text/lazyre"
)

// Projects whose tool has one way to test.

func elixirChecks(f *folder) []kedge.Check {
	if !f.has("mix.exs") {
		return nil
	}
	f.prepares("mix deps.get")
	f.leaves("deps/")
	f.leaves("_build/")
	return []kedge.Check{test("mix test"), build("mix compile --warnings-as-errors")}
}

func dotnetChecks(f *folder) []kedge.Check {
	if !f.matches("*.sln") && !f.matches("*.slnx") && !f.matches("*.csproj") && !f.matches("*.fsproj") {
		return nil
	}
	f.leavesEverywhere("bin/")
	f.leavesEverywhere("obj/")
	return []kedge.Check{test("dotnet test"), build("dotnet build")}
}

func swiftChecks(f *folder) []kedge.Check {
	if !f.has("Package.swift") {
		return nil
	}
	f.leaves(".build/")
	return []kedge.Check{test("swift test"), build("swift build")}
}

var denoTask = lazyre.New(`"tasks"\s*:\s*\{[^}]*"test"\s*:`)

func denoChecks(f *folder) []kedge.Check {
	text := f.read("deno.json") + f.read("deno.jsonc")
	if text == "" || f.has("package.json") {
		return nil
	}
	if denoTask.MatchString(text) {
		return []kedge.Check{test("deno task test")}
	}
	return []kedge.Check{test("deno test")}
}

// batsChecks are tests of shell scripts.
func batsChecks(f *folder) []kedge.Check {
	if f.has(otherManifests...) || f.has("Makefile", "makefile", "GNUmakefile") {
		return nil
	}
	for _, dir := range []string{"test", "tests"} {
		if f.matches(dir + "/*.bats") {
			return []kedge.Check{test("bats -r " + dir)}
		}
	}
	return nil
}
