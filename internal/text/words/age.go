package words

import (
	"strconv"
	"strings"
	"time"

	"kedge"
)

// century bounds an age in days or weeks, so that it fits into a duration.
const century = 100 * 365 * 24 * time.Hour

// ParseAge reads days and weeks besides what time.ParseDuration reads.
func ParseAge(text string) (time.Duration, error) {
	for suffix, unit := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		digits, ok := strings.CutSuffix(text, suffix)
		if n, err := strconv.Atoi(digits); ok && err == nil && n >= 0 && n <= int(century/unit) {
			return time.Duration(n) * unit, nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, kedge.Errorf(kedge.Invalid, "%q is not an age", text).WithHint("write it like 30d, 2w or 12h")
	}
	return d, nil
}
