package resume

import "strings"

// dangling are words with which a sentence leads to what comes after it, between spaces.
const dangling = " because with that to is are was were of for by as follows following: following like including and or: the "

// completed gives a sentence of a list whole: one that only leads to the next has that
// behind it, or goes without what leads there.
func completed(list []string, i int) string {
	s, ok := strings.CutSuffix(list[i], ":")
	if !ok {
		return s
	}
	s = strings.TrimSpace(s)
	for {
		at := strings.LastIndexByte(s, ' ')
		if rel := strings.LastIndex(s, " that "); rel > 0 && strings.Count(s[rel+1:], " ") <= 2 { // "that documents:"
			s = s[:rel]
			continue
		}
		if at < 0 || !strings.Contains(dangling, " "+strings.ToLower(s[at+1:])+" ") {
			break
		}
		if i+1 < len(list) && !strings.HasSuffix(list[i+1], ":") && len(s)+len(list[i+1])+1 <= maxRemark {
			return s + ": " + list[i+1]
		}
		s = strings.TrimRight(s[:at], " ,;")
	}
	return s + "."
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
