package api

func memoryCalls() []Call {
	return nil
}
