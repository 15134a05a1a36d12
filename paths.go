package kedge

import (
	"path"
	"slices"
	"strings"
)

// Paths below the root of a project, with slashes, that belong to Kedge.
const (
	// Dir is the folder of everything that Kedge keeps in a project.
	Dir = ".kedge"
	// ContextFile is the one file that Kedge writes outside Dir.
	ContextFile = "AGENT_CONTEXT.md"

	// Kedge writes these from the journal, whenever it changes.
	FeaturesFile   = Dir + "/features.json"
	PlanFile       = Dir + "/plan.md"
	RisksFile      = Dir + "/risks.md"
	ProgressFile   = Dir + "/progress.md"
	CheckpointFile = Dir + "/checkpoint.md"
	HandoffFile    = Dir + "/handoff.md"
	DecisionsDir   = Dir + "/decisions"
	NotesDir       = Dir + "/notes"

	// Init writes these once; from then on they are the user's.
	ConfigFile   = Dir + "/config.toml"
	GateFile     = Dir + "/gate.toml"
	RulesFile    = Dir + "/rules.md"
	ValidateFile = Dir + "/validate"
	IgnoreFile   = Dir + "/.gitignore"

	// TempPrefix begins the name of a file that is being written. It takes its place
	// when it is whole; a crash leaves it behind.
	TempPrefix = ".kedge-tmp-"

	// SkillsDir has instructions for agents that the user writes.
	SkillsDir = Dir + "/skills"
)

// OwnPaths gives the top-level paths that belong to Kedge. A feature's work never
// contains a change of them.
func OwnPaths() []string { return []string{Dir, ContextFile} }

// IsOwnPath tells whether a path of a project belongs to Kedge: it is one of OwnPaths,
// or below one. Letters count as they are written, as in git's trees; a folder named
// .kedge further down belongs to the user.
func IsOwnPath(p string) bool { return among(OwnPaths(), p) }

// GeneratedPaths gives the files and folders that Kedge writes from the journal.
func GeneratedPaths() []string {
	return []string{ContextFile, FeaturesFile, PlanFile, RisksFile, ProgressFile, CheckpointFile, HandoffFile, DecisionsDir, NotesDir}
}

// IsGenerated tells whether Kedge writes a file from the journal, or is writing it now.
// Only such a file may change without anybody's say: comparing it with the journal finds
// an edit. Everything else below Dir, known or not, is guarded like the user's settings.
// Your own draft in plan.md counts as generated; only its text tells.
func IsGenerated(p string) bool { return among(GeneratedPaths(), p) || IsTemporary(p) }

// IsTemporary tells whether a file below Dir is being written, or was when Kedge died.
// Kedge writes into three folders only; the same name elsewhere is somebody's own file.
// No commit contains a temporary one.
func IsTemporary(p string) bool {
	return slices.Contains([]string{Dir, DecisionsDir, NotesDir}, path.Dir(path.Clean(p))) && strings.HasPrefix(path.Base(p), TempPrefix)
}

// IsUserFile tells whether a file below Dir is the user's to write: settings, rules,
// checks and skills.
func IsUserFile(p string) bool {
	return among([]string{ConfigFile, GateFile, RulesFile, ValidateFile, IgnoreFile, SkillsDir}, p)
}

// among tells whether a path is one of a list, or below one.
func among(list []string, p string) bool {
	p = path.Clean(p)
	return slices.ContainsFunc(list, func(one string) bool { return p == one || strings.HasPrefix(p, one+"/") })
}
