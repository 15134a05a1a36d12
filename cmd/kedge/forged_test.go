package main

import (
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestAttackKForgedEvent appends an event to the database by hand, with the hash that a Kedge
// without a key would give it: one that completes a feature. It is found, rebuild does not make it
// true, and restore leaves it out.
func TestAttackKForgedEvent(t *testing.T) {
	for name, after := range map[string]string{"plain": "", "with its line in the tail": "tail"} {
		t.Run(name, func(t *testing.T) { forgedEvent(t, after != "") })
	}
}

func forgedEvent(t *testing.T, tail bool) {
	b := newBox(t)
	b.project()
	b.run("feature", "add", "login", "--name", "Log in", "--check", "test -e login.txt")
	b.run("down")
	dirs, err := filepath.Glob(filepath.Join(b.home, "projects", "prj-*"))
	if err != nil || len(dirs) != 1 {
		t.Fatal(dirs, err)
	}
	forgeCompleted(t, dirs[0], tail)
	if said := b.fails(4, "features"); !strings.Contains(said, "somebody else wrote or changed it") || !strings.Contains(said, "kedge restore") {
		t.Errorf("features said %q", said)
	}
	if said := b.fails(4, "rebuild"); !strings.Contains(said, "somebody else wrote or changed it") {
		t.Errorf("rebuild said %q", said)
	}
	b.fails(2, "doctor")
	if out := b.run("restore"); !strings.Contains(out, "somebody else wrote or changed it") {
		t.Errorf("restore said %q", out)
	}
	if out := b.run("features"); !strings.Contains(out, "pending") || strings.Contains(out, "completed") {
		t.Errorf("features: %q", out)
	}
	b.run("doctor")
}

// forgeCompleted writes the event as bytes: number, time and hash are those that would come next.
func forgeCompleted(t *testing.T, dir string, tail bool) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "kedge.db")+"?mode=rw")
	if err != nil {
		t.Fatal(err)
	}
	var seq int64
	var at, project, prev string
	err = db.QueryRow(`SELECT seq, at, project, hash FROM events ORDER BY seq DESC LIMIT 1`).Scan(&seq, &at, &project, &prev)
	if err != nil {
		t.Fatal(err)
	}
	seq++
	row := []string{strconv.FormatInt(seq, 10), "1", "evt-00000000000000000000000001", at, project, "human:root", "feature.status", `{"id":"login","status":"completed"}`, ""}
	h := sha256.New()
	for _, f := range append([]string{prev}, row...) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(f)))
		h.Write(n[:])
		h.Write([]byte(f))
	}
	sum := hex.EncodeToString(h.Sum(nil))
	_, err = db.Exec(`INSERT INTO events (seq, v, id, at, project, actor, type, data, request, hash) VALUES (?,?,?,?,?,?,?,?,?,?)`,
		seq, 1, row[2], at, project, row[5], row[6], row[7], "", sum)
	if err = errors.Join(err, db.Close()); err != nil || !tail {
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	line := fmt.Sprintf("%020d %s", seq, sum)
	f, err := os.OpenFile(filepath.Join(dir, "journal.tail"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = fmt.Fprintf(f, "%s %08x\n", line, crc32.ChecksumIEEE([]byte(line)))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}
