package reports

import (
	"bytes"
	"encoding/json"
	"testing"

	"kedge/internal/insight/audit"
)

// TestAuditIsWrittenInPieces: the answer is the same as in one piece, and there is never more
// than one session of it at once.
func TestAuditIsWrittenInPieces(t *testing.T) {
	most := 0
	encode := func(v any) (json.RawMessage, error) {
		b, err := json.Marshal(v)
		most = max(most, len(b))
		return b, err
	}
	for _, n := range []int{0, 1, 2, 50} {
		r := AuditReply{Sessions: []audit.Figures{}, Unread: []UnreadFile{{File: "a", Why: "b"}}}
		for range n {
			r.Sessions = append(r.Sessions, audit.Figures{ID: "<one>", Tools: []audit.Tool{{Name: "Read"}}})
		}
		want, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := r.WriteJSON(&got, encode); err != nil {
			t.Fatal(err)
		}
		if got.String() != string(want) {
			t.Errorf("%d sessions: got\n%.400s\nwant\n%.400s", n, got.String(), want)
		}
		if n == 50 && most > len(want)/4 {
			t.Errorf("the longest piece has %d of %d bytes", most, len(want))
		}
	}
}
