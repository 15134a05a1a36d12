package plan

import (
	"cmp"
	"strings"
	"time"
	"unicode"

	"kedge"
	"kedge/internal/text/words"
)

// Export writes a feature list for others. Only Kedge's own format holds
// everything; Anthropic's "passes" is true for completed features alone.
func Export(format string, f FeatureFile) ([]byte, error) {
	switch format {
	case FormatKedge:
		return WriteFeatures(f), nil
	case FormatSeed:
		return encode(seedList(f.Features), "  "), nil
	case FormatAnthropic:
		return encode(anthropicList(f.Features), "  "), nil
	}
	return nil, unknownFormat(format)
}

type seedFile struct {
	Features []seedFeature `json:"features"`
}

type seedFeature struct {
	ID           kedge.FeatureID   `json:"id"`
	Name         string            `json:"name"`
	Status       kedge.Status      `json:"status"`
	Dependencies []kedge.FeatureID `json:"dependencies,omitempty"`
	Files        []string          `json:"files,omitempty"`
	Notes        string            `json:"notes,omitempty"`
	CompletedAt  *time.Time        `json:"completedAt,omitempty"`
}

func seedList(features []kedge.Feature) seedFile {
	out := seedFile{Features: make([]seedFeature, len(features))}
	for i, f := range features {
		f = normal(f)
		out.Features[i] = seedFeature{f.ID, f.Name, f.Status, f.Dependencies, f.Files, f.Notes, f.CompletedAt}
	}
	return out
}

type anthropicFeature struct {
	Category    string   `json:"category"`
	Description string   `json:"description"`
	Steps       []string `json:"steps"`
	Passes      bool     `json:"passes"`
}

func anthropicList(features []kedge.Feature) []anthropicFeature {
	out := make([]anthropicFeature, len(features))
	for i, f := range features {
		f = normal(f)
		out[i] = anthropicFeature{f.Category, f.Description, f.Steps, f.Status == kedge.Completed}
		if out[i].Category == "" {
			out[i].Category = "functional"
		}
		if out[i].Description == "" {
			out[i].Description = f.Name
		}
		if len(f.Steps) == 0 {
			out[i].Steps = f.Acceptance
		}
	}
	return out
}

// slugMax leaves room for a number behind a made id.
const slugMax = 40

// slug makes an id of any text: a-z, 0-9 and single dashes, cut at a word.
func slug(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() > 2*slugMax {
			break
		}
	}
	out := b.String()
	if len(out) > slugMax {
		out = out[:slugMax]
		if cut := strings.LastIndexByte(out, '-'); cut > slugMax/2 {
			out = out[:cut]
		}
	}
	if out = strings.Trim(out, "-"); out == "" {
		return "feature"
	}
	return out
}

// headline is a description's first line, short enough for a list.
func headline(description, otherwise string) string {
	line := strings.TrimSpace(description)
	if end := strings.IndexAny(line, "\r\n"); end >= 0 {
		line = line[:end]
	}
	const most = 80
	return cmp.Or(words.Clip(strings.TrimSpace(line), most), otherwise)
}
