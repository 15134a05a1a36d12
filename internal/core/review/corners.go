package review

import (
	"bytes"

	"kedge/internal/core/detect"
)

// Stands says which version of a changed file stands in a corner.
type Stands int

// The versions. Mixed is a text of its own, with one side of each version.
const (
	Old Stands = iota
	New
	Mixed
)

// CornerFile is a changed file as it stands in a corner.
type CornerFile struct {
	Path   string
	Stands Stands
	Text   []byte // of a mixed one
}

// Corner is a tree between the base and the work: the base with the files as they stand here. One
// that cannot tell anything new has no files and says why.
type Corner struct {
	Files []CornerFile
	Same  string // why it is not worth running; empty: run it
	Apart bool   // of one that is not run: its tests and its source cannot be told apart
}

// Corners are the two trees that show what tests and source of a change do without each other.
type Corners struct {
	OldSource Corner // with the new tests: red shows that the tests test something
	OldTests  Corner // with the new source: red shows that the tests were changed to fit
	Tests     []string
	Source    []string
}

// Reading is what must be read in the files of a change to divide it.
type Reading struct {
	HoldsTests func(path string, src []byte) bool // whether a source file holds tests
	OnlyAdds   func(detect.Change) bool           // whether a file of tests has all that it had, untouched
}

// Halves divides a change into tests and source and gives the two corners. Extra are
// further globs of tests.
func (r Reading) Halves(changes []detect.Change, extra []string) Corners {
	var c Corners
	d := divided{reading: r}
	for _, ch := range changes {
		p := r.divide(ch, extra)
		d.add(ch, p)
		c.OldSource.Files = append(c.OldSource.Files, p.oldSource)
		c.OldTests.Files = append(c.OldTests.Files, p.oldTests)
		if p.tests {
			c.Tests = append(c.Tests, ch.Path)
		}
		if p.source {
			c.Source = append(c.Source, ch.Path)
		}
	}
	if !d.source && d.build { // what is built is all that there is of source
		d.source = true
		c.OldSource.oldBuild(changes, extra)
	}
	c.OldSource.settle(d.oldSourceSame())
	c.OldSource.Apart = c.OldSource.Same == inNewSource
	c.OldTests.settle(d.oldTestsSame())
	return c
}

// oldBuild has manifests stand as they were, but for what they say about tests.
func (c *Corner) oldBuild(changes []detect.Change, extra []string) {
	for i, ch := range changes {
		if detect.SideOf(ch.Path, extra) != detect.Build {
			continue
		}
		c.Files[i] = CornerFile{Path: ch.Path, Stands: Old}
		if m, ok := detect.Split(ch.Path, ch.Before, ch.After); ok {
			c.Files[i] = stands(ch, m.OldSource)
		}
	}
}

func (c *Corner) settle(same string) {
	if c.Same = same; same != "" {
		c.Files = nil
	}
}

// parts is one file in both corners, and which sides of it changed.
type parts struct {
	oldSource, oldTests CornerFile
	side                detect.Side
	tests, source       bool
	inseparable         bool // its tests cannot stand without its source
}

func (r Reading) divide(c detect.Change, extra []string) parts {
	side := detect.SideOf(c.Path, extra)
	p := parts{
		side: side, tests: side == detect.Tests, source: side == detect.Source || side == detect.Build,
		oldSource: CornerFile{Path: c.Path, Stands: New}, oldTests: CornerFile{Path: c.Path, Stands: New},
	}
	switch side {
	case detect.Tests:
		p.oldTests.Stands = Old
	case detect.Source:
		p.oldSource.Stands = Old
		p.mix(r, c)
	case detect.Build:
		if m, ok := detect.Split(c.Path, c.Before, c.After); ok {
			p.tests = !bytes.Equal(m.OldSource, c.Before)
			p.source = !bytes.Equal(m.OldTests, c.Before)
			p.oldTests = stands(c, m.OldTests)
		}
	case detect.Neither:
	}
	return p
}

// mix takes over a source file that holds tests too. The tests of one that is new go with
// it: there is no older source to run them against.
func (p *parts) mix(r Reading, c detect.Change) {
	m, ok := detect.Split(c.Path, c.Before, c.After)
	switch {
	case ok:
		p.tests = !bytes.Equal(m.OldSource, c.Before)
		p.source = !bytes.Equal(m.OldTests, c.Before)
		p.oldSource, p.oldTests = stands(c, m.OldSource), stands(c, m.OldTests)
	case c.Before == nil && r.HoldsTests(c.Path, c.After):
		p.tests, p.inseparable = true, true
	}
}

func stands(c detect.Change, text []byte) CornerFile {
	switch {
	case c.Before != nil && bytes.Equal(text, c.Before):
		return CornerFile{Path: c.Path, Stands: Old}
	case c.After != nil && bytes.Equal(text, c.After):
		return CornerFile{Path: c.Path, Stands: New}
	}
	return CornerFile{Path: c.Path, Stands: Mixed, Text: text}
}

// divided counts what the change has.
type divided struct {
	reading     Reading
	source      bool // source proper
	build       bool
	newTests    bool // tests that were added or changed, and can be run without the new source
	inseparable bool // tests that cannot
	oldTests    bool // existing tests, or what they need, are not what they were
}

func (d *divided) add(c detect.Change, p parts) {
	d.source = d.source || p.source && p.side == detect.Source
	d.build = d.build || p.source && p.side == detect.Build
	if !p.tests {
		return
	}
	d.inseparable = d.inseparable || p.inseparable
	d.newTests = d.newTests || c.After != nil && !p.inseparable
	d.oldTests = d.oldTests || !d.reading.OnlyAdds(c)
}

// Why a corner is not run.
const (
	noTests     = "the change has no new or changed tests"
	noSource    = "the change has no source"
	inNewSource = "the new tests are part of new source files"
	onlyAdded   = "the change keeps every existing test as it is"
)

func (d divided) oldSourceSame() string {
	switch {
	case !d.newTests && d.inseparable:
		return inNewSource
	case !d.newTests:
		return noTests
	case !d.source:
		return noSource
	}
	return ""
}

func (d divided) oldTestsSame() string {
	switch {
	case !d.source && !d.build:
		return noSource
	case !d.oldTests:
		return onlyAdded
	}
	return ""
}
