package watch

type (
	quality struct{}
	age     struct{}
	bounds  struct{}
	mode    struct{}
)

func (w *Watcher) feedQuality(Event) []Signal { return nil }
func (w *Watcher) feedAge(Event) []Signal     { return nil }
func (w *Watcher) feedBounds(Event) []Signal  { return nil }
func (w *Watcher) feedMode(Event) []Signal    { return nil }
func (w *Watcher) endMode(bool) []Signal      { return nil }
