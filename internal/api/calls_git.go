package api

func gitCalls() []Call {
	return nil
}
