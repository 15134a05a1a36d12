package daemon

import (
	"net/http"
	"runtime/debug"
	"time"

	"kedge/internal/process"
)

// restAfter is how long nobody must have asked for anything before the daemon
// gives back the memory that it does not need: most of the time it only waits.
const restAfter = 5 * time.Second

// resting gives memory back after every spell of work.
func resting(next http.Handler) http.Handler {
	free := time.AfterFunc(restAfter, func() {
		debug.FreeOSMemory()
		process.Rest()
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer free.Reset(restAfter)
		next.ServeHTTP(w, r)
	})
}
