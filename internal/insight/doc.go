// Package insight is the room that reads what sessions left: transcripts, outputs and
// events go in; figures, failures and briefs come out. It needs no set-up and writes
// nothing. Packages in it import core and text. The package itself is empty.
package insight
