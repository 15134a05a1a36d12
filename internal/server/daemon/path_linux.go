package daemon

// maxSocketPath is the longest path that fits into sun_path with its final NUL.
const maxSocketPath = 107
