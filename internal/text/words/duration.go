package words

import (
	"fmt"
	"time"
)

// maxDuration bounds what you can write; longer is a slip of the pen.
const maxDuration = 7 * 24 * time.Hour

// ParseDuration reads a duration as you write it ("5m", "90s"): from 0 to 168h.
func ParseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || d > maxDuration {
		return 0, fmt.Errorf("%q is not a duration such as %q (at most 168h)", s, "5m")
	}
	return d, nil
}
