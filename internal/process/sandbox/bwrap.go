package sandbox

import "slices"

// bwrap is the box in the words of bubblewrap. What comes later lies over what
// came before: first everything, read only; then what is the program's own, then
// what stays visible of the folder for temporary files, then what is writable,
// then what is not for all that.
func (b Box) bwrap() []string {
	out := []string{
		b.Tool, "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL",
		"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
	}
	for _, t := range b.Temp {
		out = append(out, "--tmpfs", t)
	}
	for _, s := range b.Show {
		if slices.ContainsFunc(b.Temp, func(t string) bool { return inside(s, t) }) && !slices.Contains(b.Temp, s) {
			out = append(out, "--ro-bind-try", s, s)
		}
	}
	out = append(out, "--bind", b.Dir, b.Dir)
	for _, w := range b.Write {
		out = append(out, "--bind-try", w, w)
	}
	for _, h := range b.Hold {
		out = append(out, h.empty()...)
		out = append(out, "--ro-bind-try", h.Path, h.Path)
	}
	for _, g := range b.Guard {
		out = append(out, "--ro-bind-try", g, g)
	}
	if b.Offline {
		out = append(out, "--unshare-net")
	}
	return append(out, "--chdir", b.Dir, "--")
}

// empty lies over the place of what may not be there: the folder or file itself
// comes over it where there is one.
func (h Held) empty() []string {
	if h.Folder {
		return []string{"--tmpfs", h.Path, "--remount-ro", h.Path}
	}
	return []string{"--dev-bind", "/dev/null", h.Path}
}
