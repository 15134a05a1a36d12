package opencode

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	_ "modernc.org/sqlite" // OpenCode keeps its sessions in it

	"kedge"
	"kedge/internal/insight/audit"
	"kedge/internal/insight/transcript"
)

// Kept is how a program of the family keeps what its sessions did: in one database.
func (p Program) Kept() transcript.Format {
	return transcript.Format{
		Agent: p.Kind, Place: "~/.local/share/" + p.Data + ", or " + p.Data + " in XDG_DATA_HOME", Find: p.find, Database: &transcript.Database{Sessions: keptSessions, Read: readKept, Stamps: stamps},
		Is: func(h transcript.Head) bool { return bytes.HasPrefix(h.Line, []byte("SQLite format 3\x00")) },
	}
}

var keptActs = map[string]audit.Act{
	"read": audit.Read, "write": audit.Edit, "edit": audit.Edit, "patch": audit.Edit, "multiedit": audit.Edit, "bash": audit.Shell,
}

// openDatabase opens OpenCode's database for reading only.
func openDatabase(path string) (*sql.DB, error) {
	u := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: "mode=ro&_pragma=query_only(1)&_pragma=busy_timeout(2000)"}
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, kedge.Errorf(kedge.Internal, "cannot open %q: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// unreadable says that the tables are not what this build knows.
func unreadable(path string, err error) error {
	return kedge.Errorf(kedge.Invalid, "%q is not an OpenCode database that this version of Kedge can read: %w", path, err)
}

// keptSessions lists the sessions that worked in one of the folders; all
// where no folder is given.
func keptSessions(ctx context.Context, path string, dirs []string) ([]string, error) {
	db, err := openDatabase(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }() // it was only read
	rows, err := db.QueryContext(ctx, `SELECT id, directory FROM session ORDER BY time_created, id`)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer func() { _ = rows.Close() }()
	var list []string
	for rows.Next() {
		var id, dir string
		if err := rows.Scan(&id, &dir); err != nil {
			return nil, unreadable(path, err)
		}
		if len(dirs) == 0 || transcript.Within(dirs, dir) {
			list = append(list, id)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, unreadable(path, err)
	}
	return list, nil
}

// stamps lists all sessions with how many parts each has, how long they are, and when the
// last of them changed, where the database says so.
func stamps(ctx context.Context, path string) ([]transcript.Stamped, error) {
	db, err := openDatabase(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }() // it was only read
	changed := ""
	if db.QueryRowContext(ctx, `SELECT name FROM pragma_table_info('part') WHERE name = 'time_updated'`).Scan(&changed) == nil {
		changed = ` || '/' || coalesce(max(p.time_updated), 0)`
	}
	rows, err := db.QueryContext(ctx, `SELECT s.id, s.directory, count(p.id) || '/' || coalesce(max(p.id), '') || '/' || coalesce(sum(length(CAST(p.data AS BLOB))), 0)`+changed+`
		FROM session s LEFT JOIN part p ON p.session_id = s.id GROUP BY s.id ORDER BY s.time_created, s.id`)
	if err != nil {
		return nil, unreadable(path, err)
	}
	defer func() { _ = rows.Close() }()
	var list []transcript.Stamped
	for rows.Next() {
		var s transcript.Stamped
		if err := rows.Scan(&s.Session, &s.Dir, &s.Stamp); err != nil {
			return nil, unreadable(path, err)
		}
		list = append(list, s)
	}
	if err := rows.Err(); err != nil {
		return nil, unreadable(path, err)
	}
	return list, nil
}

// readKept reads one session, part by part.
func readKept(ctx context.Context, path, session string, o transcript.Options, emit transcript.Emit) (transcript.Meta, error) {
	db, err := openDatabase(path)
	if err != nil {
		return transcript.Meta{}, err
	}
	defer func() { _ = db.Close() }() // it was only read
	r := &keptReader{Teller: transcript.Teller{Options: o, Emit: emit}, meta: transcript.Meta{ID: session, Unseen: []string{"rules", "tool_schemas"}}}
	rows, err := db.QueryContext(ctx, `SELECT p.id, p.time_created, p.data, m.data FROM part p JOIN message m ON m.id = p.message_id
		WHERE p.session_id = ? ORDER BY m.id, p.id`, session)
	if err != nil {
		return transcript.Meta{}, unreadable(path, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() && (o.Before <= 0 || r.N < o.Before-1) { // the parts are its lines
		var id string
		var at int64
		var part, message []byte
		if err := rows.Scan(&id, &at, &part, &message); err != nil {
			return transcript.Meta{}, unreadable(path, err)
		}
		r.N++
		r.At = transcript.StampMilli(at)
		if !r.part(id, part, message) {
			r.meta.Skipped++
		}
	}
	if err := rows.Err(); err != nil {
		return transcript.Meta{}, unreadable(path, err)
	}
	r.meta.Lines = r.N
	r.meta.Partial = r.meta.Partial || r.open
	return r.meta, nil
}

type keptReader struct {
	transcript.Teller
	meta transcript.Meta
	open bool // a step began that did not end
}

type keptMessage struct {
	Role  string `json:"role"`
	Agent string `json:"agent"` // "plan" is its mode for planning
	Model string `json:"modelID"`
	Error struct {
		Data struct {
			Status int `json:"statusCode"`
		} `json:"data"`
	} `json:"error"`
}

type keptPart struct {
	Type      string `json:"type"`
	Text      string `json:"text"`
	Synthetic bool   `json:"synthetic"`
	Tool      string `json:"tool"`
	Call      string `json:"callID"`
	State     struct {
		Status string          `json:"status"`
		Input  json.RawMessage `json:"input"`
		Output string          `json:"output"`
		Error  string          `json:"error"`
	} `json:"state"`
	Cost   *float64 `json:"cost"`
	Tokens *tokens  `json:"tokens"`
}

func (r *keptReader) part(id string, data, message []byte) bool {
	var m keptMessage
	var p keptPart
	if !transcript.Decode(message, &m) || !transcript.Decode(data, &p) {
		return false
	}
	r.Give(audit.Entry{Kind: audit.Moment, Mode: m.Agent})
	switch {
	case p.Type == "text" && m.Role == "user":
		r.Tell(audit.Entry{Kind: audit.UserText, Rules: p.Synthetic}, p.Text)
	case p.Type == "text":
		r.Tell(audit.Entry{Kind: audit.AssistantText}, p.Text)
	case p.Type == "reasoning":
		r.Tell(audit.Entry{Kind: audit.Thinking}, p.Text)
	case p.Type == "compaction":
		r.Give(audit.Entry{Kind: audit.Compaction})
	case p.Type == "tool":
		r.tool(p)
	case p.Type == "step-start": // a step says what it used when its tools are over
		r.meta.Partial = r.meta.Partial || r.open
		r.open = m.Error.Data.Status < refusing
	case p.Type == "step-finish":
		r.open = false
		r.step(id, m.Model, p)
	}
	return true
}

// tool is a call with its result. A failed command is completed there: its exit
// code is in no field that is documented.
func (r *keptReader) tool(p keptPart) {
	r.Call(audit.Entry{Call: p.Call, Tool: p.Tool, Act: keptActs[p.Tool]}, p.State.Input)
	switch p.State.Status {
	case "completed":
		r.Tell(audit.Entry{Kind: audit.ToolResult, Call: p.Call}, p.State.Output)
	case "error":
		r.Tell(audit.Entry{Kind: audit.ToolResult, Call: p.Call, Failed: true}, p.State.Error)
	}
}

// step is one reply; its input has no cached tokens in it. A cost of 0 is that
// of a model whose price OpenCode does not know.
func (r *keptReader) step(id, model string, p keptPart) {
	e := audit.Entry{Kind: audit.Reply, Reply: id, Model: model}
	if t := p.Tokens; t != nil {
		e.Usage = &audit.Usage{Input: t.Input, CacheRead: t.Cache.Read, CacheWrite: t.Cache.Write, Output: t.Output + t.Reasoning}
	}
	if p.Cost != nil && *p.Cost > 0 {
		e.USD = p.Cost
	}
	r.Give(e)
}

// find looks into the database.
func (p Program) find(ctx context.Context, w transcript.Where) []transcript.File {
	path := filepath.Join(w.Home("XDG_DATA_HOME", ".local", "share"), p.Data, p.Data+".db")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	dirs := w.Dirs
	if w.All {
		dirs = nil
	}
	list, err := p.Kept().InDatabase(ctx, path, dirs)
	if err != nil {
		return nil
	}
	return list
}
