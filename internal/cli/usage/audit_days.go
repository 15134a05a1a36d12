package usage

import (
	"time"

	"kedge/internal/insight/audit"
	"kedge/internal/text/page"
)

// span is how much time one column of a chart has.
type span int

// Beyond so many days a column is a week; beyond so many weeks it is a month.
const (
	mostDays  = 62
	mostWeeks = 62
)

const (
	perDay span = iota
	perWeek
	perMonth
)

func (s span) begin(t time.Time) time.Time {
	switch s {
	case perWeek:
		return t.AddDate(0, 0, -(int(t.Weekday())+6)%7)
	case perMonth:
		return t.AddDate(0, 0, 1-t.Day())
	default:
		return t
	}
}

func (s span) next(t time.Time) time.Time {
	switch s {
	case perWeek:
		return t.AddDate(0, 0, 7)
	case perMonth:
		return t.AddDate(0, 1, 0)
	default:
		return t.AddDate(0, 0, 1)
	}
}

func (s span) name(t time.Time) string {
	switch s {
	case perWeek:
		return "week of " + t.Format("2 Jan 2006")
	case perMonth:
		return t.Format("Jan 2006")
	default:
		return t.Format("2 Jan")
	}
}

// spanOf is what a column of so many days has.
func spanOf(days []audit.Group) span {
	from, to := edges(days)
	switch n := int(to.Sub(from).Hours() / 24); {
	case n <= mostDays:
		return perDay
	case n <= 7*mostWeeks:
		return perWeek
	default:
		return perMonth
	}
}

func daysUnit(days []audit.Group) string { return [...]string{"day", "week", "month"}[spanOf(days)] }

// edges are the first and the last day that are known.
func edges(days []audit.Group) (from, to time.Time) {
	for _, g := range days {
		t, err := time.Parse(time.DateOnly, g.Key)
		if err != nil {
			continue
		}
		if from.IsZero() || t.Before(from) {
			from = t
		}
		if t.After(to) {
			to = t
		}
	}
	return from, to
}

// costColumns is what days cost, those on which nothing was spent too.
func costColumns(days []audit.Group) []page.Bar {
	s := spanOf(days)
	from, to := edges(days)
	if from.IsZero() {
		return nil
	}
	spent := map[time.Time]float64{}
	more := map[time.Time]bool{} // a part has no price
	for _, g := range days {
		t, err := time.Parse(time.DateOnly, g.Key)
		if err != nil {
			continue
		}
		if g.USD != nil {
			spent[s.begin(t)] += *g.USD
		}
		more[s.begin(t)] = more[s.begin(t)] || g.UnknownUSD > 0
	}
	var bars []page.Bar
	for t := s.begin(from); !t.After(to); t = s.next(t) {
		said := cents(spent[t])
		if more[t] {
			said += "+"
		}
		bars = append(bars, page.Bar{Name: s.name(t), Said: said, Parts: []page.Part{{Name: "cost", Class: "blue", Value: spent[t], Said: said}}})
	}
	return bars
}

func costAxis(bars []page.Bar) page.Axis {
	most := 0.0
	for _, b := range bars {
		most = max(most, b.Parts[0].Value)
	}
	return page.Axis{Low: "0", Middle: cents(most / 2), High: cents(most), Unit: "USD"}
}
