package words

import "strings"

// Sentences gives the sentences of a text without its marks of lists, headings
// and emphasis. Code blocks, tables and quotes have none.
func Sentences(text string) []string {
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
		list = append(list, Split(unmarked(l))...)
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

// Split cuts a line behind each full stop, question or exclamation mark that a
// space follows.
func Split(l string) []string {
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
