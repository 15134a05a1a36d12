package salvage

// ParseSalvage reads a salvage from what stands in its commit.
func ParseSalvage(s string) int {
	v, _ := parseSalvage([]string{s, s, s, "1", s})
	return len(v.Attic)
}
