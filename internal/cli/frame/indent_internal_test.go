package frame

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"kedge/internal/text/plain"
)

// TestPrinting: an answer that is written in pieces is what one piece would be, and no
// piece begins within a character.
func TestPrinting(t *testing.T) {
	long := `["` + strings.Repeat(`ü\"{[\u2028`+"\u2028"+`😀,: `, chunk/8) + `",{"a":"` + strings.Repeat("日本", chunk) + `"}]`
	for _, raw := range []string{`{}`, `[]`, `null`, `"a\\"`, `{"a":{},"b":[ ],"c":[1,-2.5e3,{"d":"}\"]"}] , "e":""}`, "[\n{\"a\" :\t1}\r\n]", long} {
		var want bytes.Buffer
		if err := json.Indent(&want, []byte(raw), "", "  "); err != nil {
			t.Fatal(err)
		}
		want.WriteByte('\n')
		var got pieces
		d := (&Env{Out: &got}).Printing()
		for rest := raw; rest != ""; { // in parts of any length
			n := min(1+len(rest)/3, len(rest))
			if err := d.UnmarshalJSON([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if string(got.all) != string(plain.JSON(want.Bytes())) {
			t.Errorf("%.60s: got\n%.300s\nwant\n%.300s", raw, got.all, want.Bytes())
		}
		if got.most > 2*chunk || got.split {
			t.Errorf("%.60s: the longest piece has %d bytes, split within a character: %v", raw, got.most, got.split)
		}
	}
}

type pieces struct {
	all   []byte
	most  int
	split bool
}

func (p *pieces) Write(b []byte) (int, error) {
	p.all = append(p.all, b...)
	p.most = max(p.most, len(b))
	p.split = p.split || plain.Unfinished(b) > 0
	return len(b), nil
}
