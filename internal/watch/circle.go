package watch

type circle struct{}

func (w *Watcher) feedCircle(Event) []Signal { return nil }
