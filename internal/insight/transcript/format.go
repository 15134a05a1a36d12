package transcript

import (
	"context"
	"encoding/json"
	"io"
	"slices"
)

// Reader reads one transcript that is text.
type Reader func(ctx context.Context, r io.Reader, o Options, emit Emit) (Meta, error)

// Format is how one agent keeps what its sessions did.
type Format struct {
	Agent     string   // its name
	Place     string   // where its transcripts are, for help
	Variables []string // of the environment, that say where its files are
	// Find lists the transcripts of sessions that worked in the folders.
	Find func(ctx context.Context, w Where) []File
	// Is tells whether a line is one of its transcripts'. The first format that says so
	// has it.
	Is func(h Head) bool

	Read     Reader    // of a transcript that is text
	Database *Database // in the place of Read

	ByFile bool // its transcripts do not say their id: the file's name is it
	Added  bool // a transcript only grows, and each of its lines is read by itself
	Split  bool // a message goes over several lines, each an entry
	Usual  bool // a file of JSON lines that fits no agent's format is taken to be its
	// Side tells whether a transcript is a sub-agent's; nil: it never is.
	Side func(path string) bool
	// Lacks tells whether one of the sub-agents that a session began, and whose replies are
	// not in its transcript (Meta.Untold), left no transcript either; nil: the program has no
	// such sub-agents.
	Lacks func(path string, untold []string) bool
	// Early are the files of a session of which the program writes a reply down before
	// it tells of it; nil: it does not.
	Early func(w Where, id string) []File
}

// Database reads transcripts that an agent keeps in one file for all sessions.
type Database struct {
	// Sessions lists those that worked in one of the folders; all where none is given.
	Sessions func(ctx context.Context, path string, dirs []string) ([]string, error)
	Read     func(ctx context.Context, path, session string, o Options, emit Emit) (Meta, error)
	// Stamps gives all sessions, each with its folder and a text that changes when the
	// session does.
	Stamps func(ctx context.Context, path string) ([]Stamped, error)
}

// Stamped is a session of a database.
type Stamped struct{ Session, Dir, Stamp string }

// Head is as much of a line as tells whose transcript it is: the name of the file, the
// line, and fields by which the lines of agents differ; they are empty when the line is
// no object.
type Head struct {
	File string `json:"-"`
	Line []byte `json:"-"`

	Type        string          `json:"type"`
	Payload     json.RawMessage `json:"payload"`
	ProjectHash string          `json:"projectHash"`
	Data        json.RawMessage `json:"data"`
	UUID        string          `json:"uuid"`
	Session     string          `json:"sessionId"`
	Leaf        string          `json:"leafUuid"`
	Snapshot    json.RawMessage `json:"snapshot"`
	Usage       json.RawMessage `json:"usageMetadata"`
	Dir         string          `json:"cwd"`
	Message     struct {
		Parts json.RawMessage `json:"parts"`
	} `json:"message"`
}

func headOf(file string, line []byte) Head {
	h := Head{}
	_ = Decode(line, &h) // a line that is no object has no fields
	h.File, h.Line = file, line
	return h
}

// Formats are those of all agents, in the order in which they are told.
type Formats []Format

// Agents are the agents whose transcripts can be read.
func (all Formats) Agents() []string {
	names := make([]string, 0, len(all))
	for _, f := range all {
		names = append(names, f.Agent)
	}
	return names
}

// Variables are the environment variables that say where transcripts are.
func (all Formats) Variables() []string {
	names := []string{"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"}
	for _, f := range all {
		names = append(names, f.Variables...)
	}
	return names
}

// Of gives the format of an agent; of one that is not known it can do nothing.
func (all Formats) Of(agent string) Format { return all.of(agent) }

// of gives the format of an agent; of one that is not known it can do nothing.
func (all Formats) of(agent string) Format {
	i := slices.IndexFunc(all, func(f Format) bool { return f.Agent == agent })
	if i < 0 {
		return Format{}
	}
	return all[i]
}
