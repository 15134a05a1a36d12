package resume

import "strings"

// sentences gives the sentences of a text without its marks of lists, headings
// and emphasis. Code blocks, tables and quotes have none.
func sentences(text string) []string {
	var list []string
	code := false
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		if strings.HasPrefix(l, "```") {
			code = !code
			continue
		}
		if code || l == "" || strings.HasPrefix(l, "|") || strings.HasPrefix(l, ">") || strings.HasPrefix(l, "#") {
			continue
		}
		list = append(list, ofLine(unmarked(l))...)
	}
	return list
}

// unmarked takes the marks of a list and of emphasis off a line.
func unmarked(l string) string {
	l = strings.TrimLeft(l, "-*+•→✅❌⚠️ ")
	if dot := strings.IndexByte(l, '.'); dot > 0 && dot <= 2 && strings.Trim(l[:dot], "0123456789") == "" {
		l = l[dot+1:]
	}
	return strings.TrimSpace(strings.ReplaceAll(l, "**", ""))
}

// ofLine cuts a line behind each full stop, question or exclamation mark that a
// space follows.
func ofLine(l string) []string {
	var list []string
	for start, i := 0, 0; ; i++ {
		if i >= len(l) {
			if s := strings.TrimSpace(l[start:]); s != "" {
				list = append(list, s)
			}
			return list
		}
		ending := (l[i] == '.' || l[i] == '?' || l[i] == '!') && i+1 < len(l) && l[i+1] == ' '
		if ending && !abbreviated(l[start:i]) {
			list = append(list, strings.TrimSpace(l[start:i+1]))
			start = i + 1
		}
	}
}

// abbreviated tells whether a full stop behind s ends no sentence.
func abbreviated(s string) bool {
	for _, a := range []string{"e.g", "i.e", "etc", "vs", "cf", "incl", "approx", "No"} {
		if strings.HasSuffix(s, a) {
			return true
		}
	}
	return false
}

// cut shortens a text to at most n bytes at the end of a word, and shows that it
// did.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = s[:max(n-len("…"), 0)]
	if i := strings.LastIndexAny(s, " \n\t"); i > 0 {
		s = s[:i]
	} else {
		s = strings.ToValidUTF8(s, "")
	}
	return strings.TrimRight(s, " \n\t,;:") + "…"
}

func hasAny(text string, list []string) bool {
	for _, s := range list {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}
