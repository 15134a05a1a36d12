package words

import (
	"strconv"
	"strings"
)

// Listed are names in quotes with what is to be said of one, or of several.
func Listed[T ~string](ids []T, one, several string) string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = strconv.Quote(string(id))
	}
	if len(names) == 1 {
		return names[0] + one
	}
	return strings.Join(names, ", ") + several
}

// Some lists the first of many: "a, b and 3 more".
func Some(list []string, most int) string {
	text := strings.Join(list[:min(most, len(list))], ", ")
	if n := len(list) - most; n > 0 {
		text += " and " + strconv.Itoa(n) + " more"
	}
	return text
}
