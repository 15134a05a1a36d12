package resume

import (
	"math"
	"slices"
	"strings"
)

// signal is one reason to need a file next.
type signal int

const (
	sigUse       signal = iota // use, an edit twice, each action later less: its logarithm
	sigInAsk                   // named in the ask
	sigAhead                   // named in the ask, and not edited since it was said
	sigTodo                    // named in the list of what is to do
	sigRed                     // named in failing output
	sigOutput                  // named in other output
	sigSaid                    // named by the model
	sigFolder                  // its folder is in use
	sigForAsk                  // edited since the ask was said, where nothing that it names is still ahead
	signalsCount               // how many there are
)

// tuning is every number by which files are ordered.
type tuning struct {
	pace        float64               // at which use is forgotten, per action
	mentionPace float64               // at which it is forgotten that a file was named
	worth       [acts]float64         // of a use
	weights     [signalsCount]float64 // of a signal
}

// fitted is the tuning of all briefs. Use is the scale: a weight of 1 lifts a file
// over one that was used as much 33 actions later. Searches and commands name many
// files in passing, so they count little. The weights were fitted on real sessions,
// parts of which were kept apart. What the ask names came out high on every part;
// the rest did not on all and is small.
// Among ten files, many tunings find nearly all on the sessions at hand, which know
// few; what is ahead weighs so much because then more are among the first three, five
// and seven, on either half of these sessions. What came out at nothing (siblings,
// thinking, earlier sequences, uses in all) is not here. That no figure is an edge of
// its own, TestCorpusBearsOtherNumbers shows.
var fitted = tuning{
	pace: 0.97, mentionPace: 0.93,
	worth:   [acts]float64{actRead: 1, actEdit: 2, actLook: 0.1, actShell: 0.1, actPrint: 1},
	weights: [signalsCount]float64{sigUse: 1, sigInAsk: 0.5, sigAhead: 2.4, sigTodo: 0.15, sigRed: 0.15, sigOutput: 0.2, sigSaid: 0.1, sigFolder: 0.2, sigForAsk: 1},
}

type scored struct {
	f     *file
	score float64
	x     [signalsCount]float64
}

// doubtful tells whether only shell commands named it, so that it may be no file.
func (f *file) doubtful() bool { return f.shell && !f.sure }

// rank gives the files that are likely to be needed next, the likeliest first.
// Those of which it is not known whether they are files come last.
func (p *Picker) rank() []scored {
	list := p.signals()
	for i := range list {
		for s, w := range p.files.tune.weights {
			list[i].score += w * list[i].x[s]
		}
	}
	slices.SortStableFunc(list, func(a, b scored) int {
		switch {
		case a.f.doubtful() != b.f.doubtful():
			if a.f.doubtful() {
				return 1
			}
			return -1
		case a.score != b.score:
			if a.score > b.score {
				return -1
			}
			return 1
		case a.f.last != b.f.last:
			return b.f.last - a.f.last
		default:
			return strings.Compare(a.f.path, b.f.path)
		}
	})
	return list
}

// signals measures every file.
func (p *Picker) signals() []scored {
	t := &p.files
	named := p.mentions.count(t, p.n, t.tune.mentionPace, p.isRed)
	ask, todo := inText(t, p.asks.near()), inText(t, p.todo.text())
	folders := map[string]float64{}
	list := make([]scored, 0, len(t.list))
	ahead := false
	for _, f := range t.list {
		if f.gone {
			continue
		}
		s := scored{f: f}
		use := f.use(p.n, t.tune.pace)
		folders[dirOf(f.path)] += use
		s.x[sigUse] = math.Log(use + 1e-6) // of a file that is long forgotten too
		s.x[sigInAsk], s.x[sigTodo] = ask[f], todo[f]
		if f.lastAt[actEdit] <= p.askedAt {
			s.x[sigAhead] = ask[f]
			ahead = ahead || ask[f] > 0
		}
		if v := named[f]; v != nil {
			s.x[sigSaid], s.x[sigRed], s.x[sigOutput] = v[voiceSaid], v[voiceRed], v[voiceOutput]
		}
		list = append(list, s)
	}
	for i := range list {
		list[i].x[sigFolder] = math.Log1p(folders[dirOf(list[i].f.path)])
		if f := list[i].f; !ahead && f.lastAt[actEdit] > p.askedAt {
			list[i].x[sigForAsk] = 1
		}
	}
	return list
}
