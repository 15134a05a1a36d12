package words

// Distance is how many letters one word differs from another by: put in, left out
// or changed.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		left := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := left
			if a[i] != b[j] {
				changed++
			}
			left = row[j+1]
			row[j+1] = min(changed, left+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// Nearest gives the name that a misspelt word most likely stands for: the one that
// differs least, by at most half of its letters. It is empty where none is near.
func Nearest(word string, names []string) string {
	best, least := "", len(word)/2+1
	for _, name := range names {
		if n := Distance(name, word); n < least {
			best, least = name, n
		}
	}
	return best
}

// DidYouMean is the beginning of a hint about a name that nothing has: the nearest one that
// something has; empty where none is near.
func DidYouMean(word string, names []string) string {
	near := Nearest(word, names)
	if near == "" {
		return ""
	}
	return "did you mean " + near + "? "
}
