// Package words measures and shortens text for people and for models: how many tokens a
// text has, ages as people write them, counted nouns, shortened lines and short ids. It
// promises that the same input gives the same words, and that shortening never splits a
// character. It is pure, and knows nothing of what the words are about.
package words

import "strings"

// Spaced is a stored word, such as needs_review, as you would say it.
func Spaced[T ~string](word T) string { return strings.ReplaceAll(string(word), "_", " ") }
