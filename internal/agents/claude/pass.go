package claude

import "kedge/internal/insight/transcript"

// saysNothing has a quick look at a line, and tells whether neither a person nor the model
// says anything there: it has nothing but the results of tools, or news of what runs. Such
// lines are most of a transcript, and their texts are the longest.
func saysNothing(b []byte) bool {
	nothing := false
	s := transcript.NewLook(b)
	s.Object(func(key []byte) bool {
		if string(key) == "message" {
			nothing = onlyResults(s)
			return false
		}
		v, ok := s.Value()
		if string(key) == "type" {
			switch string(transcript.Inside(v)) {
			case "user":
			case "progress", "file-history-snapshot":
				nothing = true
				return false
			default:
				return false
			}
		}
		return ok
	})
	return nothing
}

// onlyResults tells whether every block of a message is the result of a tool.
func onlyResults(s *transcript.Scanner) bool {
	results, others := 0, 0
	s.ObjectOr(func(key []byte) bool {
		if string(key) != "content" || !s.At('[') {
			return s.Skip()
		}
		return s.Array(func() bool {
			isResult := false
			ok := s.ObjectOr(func(key []byte) bool {
				v, ok := s.Value()
				isResult = isResult || string(key) == "type" && string(v) == `"tool_result"`
				return ok
			})
			if isResult {
				results++
			} else {
				others++
			}
			return ok
		})
	})
	return results > 0 && others == 0
}
