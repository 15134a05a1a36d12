package words

import "unicode/utf8"

// perToken is how many ASCII characters make one token on average, in English
// prose and in code alike.
const perToken = 4

// Tokens gives the tokens of s: a quarter of its ASCII characters, rounded up,
// and one for every other character. Tokenizers split most text outside ASCII
// into at least one token per character, so that counting it by fours would let
// a Chinese rules file pass at a quarter of its cost.
func Tokens(s string) int {
	ascii, other := 0, 0
	for _, r := range s {
		if r < utf8.RuneSelf {
			ascii++
		} else {
			other++
		}
	}
	return (ascii+perToken-1)/perToken + other
}
