package process

import (
	"fmt"
	"reflect"
	"testing"
)

// TestKeysInAPaste: nothing that is pasted is a key for Kedge, wherever the reads cut it;
// before and after it the keys are.
func TestKeysInAPaste(t *testing.T) {
	const in = "a\x1b[200~x\x1d\x1b[93;5ud\x1b\x1b[20\x1d\xc3\xa91\x1b]\x1b[201~b\x1dd"
	want := []byte(in[:len(in)-2])
	for size := 1; size <= len(in); size++ {
		var k Keys
		var text []byte
		var keys []string
		for at := 0; at < len(in); at += size {
			for _, p := range k.Take([]byte(in[at:min(at+size, len(in))])) {
				if p.Prefix {
					keys = append(keys, p.Key)
				} else {
					text = append(text, p.Text...)
				}
			}
		}
		if string(text) != string(want) || !reflect.DeepEqual(keys, []string{"d"}) {
			t.Errorf("reads of %d: the session gets %q, and Kedge the keys %q", size, text, keys)
		}
	}
}

// TestPasteAfterThePrefix: a paste is whole for the session, also where Ctrl-] was typed
// before it.
func TestPasteAfterThePrefix(t *testing.T) {
	var k Keys
	got := k.Take([]byte("\x1d\x1b[200~d\x1b[201~"))
	if want := []Press{{Text: []byte("\x1b[200~d\x1b[201~")}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", fmt.Sprint(got), fmt.Sprint(want))
	}
}
