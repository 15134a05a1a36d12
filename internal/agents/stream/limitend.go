package stream

import (
	"strconv"
	"strings"
	"time"

	"kedge/internal/text/lazyre"
)

// LimitEnd is when a provider's limit ends, as a message of that time says it: in seconds
// since 1970 behind a bar, as a time of day, or as how long it takes. Zero where it does
// not say.
func LimitEnd(text string, at time.Time) time.Time {
	if _, after, ok := strings.Cut(text, "|"); ok {
		digits, _, _ := strings.Cut(strings.TrimSpace(after), " ")
		if end := Until([]byte(digits)); !end.IsZero() {
			return end
		}
	}
	if m := endClock.FindStringSubmatch(text); m != nil {
		return nextClock(m, at)
	}
	if m := endAfter.FindStringSubmatch(text); m != nil {
		return at.Add(durationIn(m[0]))
	}
	return time.Time{}
}

var (
	endClock = lazyre.New(`(?i)\b(?:resets?|again|until)(?: at)? (\d{1,2})(?::(\d{2}))? ?(am|pm)?(?: \(([A-Za-z_]+(?:/[A-Za-z_+-]+)*)\))?`)
	endAfter = lazyre.New(`(?i)\b(?:again|resets?|retry|wait)(?: after| in)? \d+(?:\.\d+)? ?(?:s|m|h|d|sec|min|hour|day)[a-z]*(?:,? (?:and )?\d+ ?(?:s|m|h|sec|min|hour)[a-z]*)*`)
	oneUnit  = lazyre.New(`(\d+(?:\.\d+)?) ?([a-zA-Z])`)
)

// justOver is how long after the time that a message names it still means that time, and
// not the one a day later: the provider is late, or the clocks differ.
const justOver = time.Hour

// nextClock is the next time at which a clock shows what a message said; zero where no
// clock does, or where it did just now. Without a zone it is this machine's.
func nextClock(m []string, at time.Time) time.Time {
	hour, _ := strconv.Atoi(m[1]) // the pattern has digits only
	minute, _ := strconv.Atoi(m[2])
	half := strings.ToLower(m[3])
	switch {
	case half == "" && m[2] == "", hour > 23, half != "" && (hour < 1 || hour > 12), minute > 59:
		return time.Time{}
	case half == "pm" && hour < 12:
		hour += 12
	case half == "am" && hour == 12:
		hour = 0
	}
	zone := time.Local
	if z, err := time.LoadLocation(m[4]); err == nil && m[4] != "" {
		zone = z
	}
	here := at.In(zone)
	end := time.Date(here.Year(), here.Month(), here.Day(), hour, minute, 0, 0, zone)
	if !end.After(at) {
		end = end.AddDate(0, 0, 1)
	}
	if at.Sub(end.AddDate(0, 0, -1)) < justOver {
		return time.Time{}
	}
	return end.UTC()
}

// units are those of lengths of time, by their first letter.
var units = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}

// mostWait bounds what is believed of how long a limit takes.
const mostWait = 31 * 24 * time.Hour

func durationIn(text string) (sum time.Duration) {
	for _, m := range oneUnit.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.ParseFloat(m[1], 64) // the pattern has a number only
		sum += time.Duration(min(n, float64(mostWait/time.Second)) * float64(units[strings.ToLower(m[2])]))
	}
	return max(0, min(sum, mostWait))
}
