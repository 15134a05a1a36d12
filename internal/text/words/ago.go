package words

import "time"

// Ago is how long ago something happened, in the largest unit that fits.
func Ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return Count(int(d.Minutes()), "minute") + " ago"
	case d < 24*time.Hour:
		return Count(int(d.Hours()), "hour") + " ago"
	default:
		return Count(int(d.Hours()/24), "day") + " ago"
	}
}
