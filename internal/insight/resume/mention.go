package resume

import (
	"math"
	"strings"

	"kedge/internal/text/words"
)

// voice is who named a file.
type voice uint8

const (
	voiceSaid   voice = iota // the model, to the user
	voiceRed                 // the output of something that failed
	voiceOutput              // other output: searches, lists, differences
	voices
)

// mention is one text that named files.
type mention struct {
	by    voice
	n     int // action before which it stood
	words []string
	check *redCheck // whose output it is; nil: of none
}

// maxMentions bounds the texts that are remembered.
const maxMentions = 160

// mentions are the last texts that named files.
type mentions []mention

func (m *mentions) add(by voice, n int, text string, c *redCheck) {
	list := words.Paths(text)
	if len(list) == 0 {
		return
	}
	for i := range list {
		list[i] = strings.Clone(list[i]) // and not the text that it stands in
	}
	*m = append(*m, mention{by, n, list, c})
	if len(*m) > 2*maxMentions {
		*m = append((*m)[:0:0], (*m)[maxMentions:]...)
	}
}

// count tells, by file and voice, how surely and how lately each was named at
// action n, by the pace at which that is forgotten. A word that may mean several files counts for each in part.
func (m mentions) count(t *files, n int, pace float64, isRed func(*redCheck) bool) map[*file]*[voices]float64 {
	out := map[*file]*[voices]float64{}
	for _, one := range m {
		k := math.Pow(pace, float64(n-one.n))
		if k < 0.01 {
			continue
		}
		if one.by == voiceRed && !isRed(one.check) { // it is green since, or was no check
			one.by = voiceOutput
		}
		for _, w := range one.words {
			list := t.named(w)
			for _, f := range list {
				if out[f] == nil {
					out[f] = new([voices]float64)
				}
				out[f][one.by] = max(out[f][one.by], k/float64(len(list)))
			}
		}
	}
	return out
}

// inText tells which files a text names, and how surely.
func inText(t *files, text string) map[*file]float64 {
	out := map[*file]float64{}
	for _, w := range words.Paths(text) {
		list := t.named(w)
		for _, f := range list {
			out[f] = max(out[f], 1/float64(len(list)))
		}
	}
	return out
}
