package brief

import (
	"strconv"
	"strings"

	"kedge"
	"kedge/internal/text/words"
)

// The longest texts a fitted checkpoint holds, in bytes.
const (
	maxTask   = 200
	maxStatus = 200
	maxTitle  = 120
	maxRisk   = 240
	maxReason = 200
	maxResume = 800
	leftRoom  = 160 // for the line that says what was left out
)

// Fit shortens a checkpoint until it is under its cap, so that one can always be
// saved: long texts are clipped, then the least important lines of the longest
// list go, and a status line says what was left out. What people wrote below
// the end marker is theirs and does not count. A checkpoint that fits keeps
// every line.
func Fit(c kedge.Checkpoint) kedge.Checkpoint {
	c = clipTexts(Normal(c))
	left := map[string]int{}
	for bodySize(c) > MaxCheckpoint-leftRoom {
		if !shrink(&c, left) {
			break
		}
	}
	if text := leftOut(left); text != "" {
		c.Status = append(c.Status, kedge.StatusLine{Text: text})
	}
	return c
}

func clipTexts(c kedge.Checkpoint) kedge.Checkpoint {
	c.Task, c.Agent, c.Resume = words.ClipBytes(c.Task, maxTask), words.ClipBytes(c.Agent, maxTitle), words.ClipBytes(c.Resume, maxResume)
	for i := range c.Status {
		c.Status[i].Text = words.ClipBytes(c.Status[i].Text, maxStatus)
	}
	for i := range c.Decisions {
		c.Decisions[i].Title = words.ClipBytes(c.Decisions[i].Title, maxTitle)
	}
	for i := range c.Risks {
		c.Risks[i] = words.ClipBytes(c.Risks[i], maxRisk)
	}
	for i, r := range c.RuledOut {
		c.RuledOut[i] = kedge.Rejected{What: words.ClipBytes(r.What, maxTitle), Reason: words.ClipBytes(r.Reason, maxReason)}
	}
	return c
}

// bodySize is how many bytes c takes without what people wrote.
func bodySize(c kedge.Checkpoint) int {
	c.HumanNotes = ""
	b, err := WriteCheckpoint(c)
	if err != nil {
		return 0 // it can not be written at all, which WriteCheckpoint says better
	}
	return len(b)
}

// shrink drops a quarter of the list that takes most room. Risks weigh half:
// they are to appear in every checkpoint.
func shrink(c *kedge.Checkpoint, left map[string]int) bool {
	sizes := []int{
		size(writeStatus(c.Status)), size(writeRejected(c.RuledOut)), size(writeDecisions(c.Decisions)),
		size(writeFiles(c.Files)), size(writeTexts(c.Risks)) / 2,
	}
	most := 0
	for i, n := range sizes {
		if n > sizes[most] {
			most = i
		}
	}
	if sizes[most] == 0 {
		return false
	}
	switch most {
	case 0:
		c.Status = dropStatus(c.Status, left)
	case 1:
		c.RuledOut = dropOld(c.RuledOut, "ruled out", left)
	case 2:
		c.Decisions = dropOld(c.Decisions, "decisions", left)
	case 3:
		n := quarter(len(c.Files))
		c.Files = c.Files[:len(c.Files)-n]
		left["files"] += n
	default:
		c.Risks = dropOld(c.Risks, "risks", left)
	}
	return true
}

func size(lines []string) int { return len(strings.Join(lines, "\n")) }

func quarter(n int) int { return (n + 3) / 4 }

// dropOld drops the oldest entries of a list, which come first.
func dropOld[T any](list []T, name string, left map[string]int) []T {
	n := quarter(len(list))
	left[name] += n
	return list[n:]
}

// dropStatus drops what is done, from the front, before what is still to do,
// from the back.
func dropStatus(lines []kedge.StatusLine, left map[string]int) []kedge.StatusLine {
	n := quarter(len(lines))
	out := make([]kedge.StatusLine, 0, len(lines))
	for _, l := range lines {
		if l.Done && n > 0 {
			n--
			left["done"]++
			continue
		}
		out = append(out, l)
	}
	left["items"] += n
	return out[:len(out)-n]
}

// leftOut says what Fit dropped, in a fixed order.
func leftOut(left map[string]int) string {
	var parts []string
	for _, name := range []string{"done", "items", "decisions", "risks", "ruled out", "files"} {
		if n := left[name]; n > 0 {
			parts = append(parts, strconv.Itoa(n)+" "+name)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "(left out here to stay small: " + strings.Join(parts, ", ") + ")"
}
