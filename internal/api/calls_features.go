package api

func featureCalls() []Call {
	return nil
}
