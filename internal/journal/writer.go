package journal

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"runtime"

	"kedge"
)

// checkpointEvery is how many events go into the log before it is moved into
// the database.
const checkpointEvery = 500

// writer is the one goroutine that writes. It takes all jobs that wait and
// makes one transaction of them (group commit), in which one that is refused
// takes no other with it.
type writer struct {
	s       *Store
	db      *sql.DB
	conn    *statements
	tail    *tailFile
	files   map[string]os.FileInfo // as they were opened
	since   int                    // events since the last checkpoint
	stopped chan error
}

// startWriter opens the writing side on the writer's own goroutine and waits
// until it is ready.
func (s *Store) startWriter(o Options) error {
	w := &writer{s: s, stopped: make(chan error, 1)}
	ready := make(chan error)
	q := newQueue()
	go func() {
		if o.pin {
			runtime.LockOSThread()
		}
		err := w.open()
		ready <- err
		if err != nil {
			return
		}
		w.loop(q)
		w.stopped <- w.close()
	}()
	if err := <-ready; err != nil {
		return err
	}
	s.w, s.queue = w, q
	return nil
}

func (w *writer) open() error {
	ctx := context.Background()
	db, conn, err := w.s.openWriter(ctx)
	if err != nil {
		return err
	}
	w.db, w.conn = db, keepStatements(conn)
	err = w.prepare(ctx)
	if err != nil {
		_ = w.shut()
		return w.s.fault("open the journal", err)
	}
	return nil
}

// prepare brings seal, tail, schema and folds up to date. The schema of a sealed journal
// says that there is a seal and a tail, so both are on disk before it.
func (w *writer) prepare(ctx context.Context) error {
	if err := w.seal(ctx); err != nil {
		return err
	}
	var err error
	if w.tail, err = openTail(w.s.tailPath()); err != nil {
		return err
	}
	// The names of log and tail must be on disk before anything in them counts;
	// SQLite syncs the folder too, but does not look whether that worked.
	if err := syncPath(w.s.dir); err != nil {
		return err
	}
	if err := errors.Join(w.catchUp(ctx), w.tail.f.Sync()); err != nil {
		return err
	}
	if err := migrate(ctx, w.conn); err != nil {
		return err
	}
	var folded string
	err = w.conn.QueryRowContext(ctx, `SELECT value FROM meta WHERE key = 'fold'`).Scan(&folded)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if folded != foldVersion {
		if err := w.rebuild(ctx); err != nil {
			return err
		}
	}
	return w.noteFiles()
}

// catchUp writes the tail line that a crash after a commit left out.
func (w *writer) catchUp(ctx context.Context) error {
	head, err := headOf(ctx, w.conn)
	if err != nil {
		return err
	}
	seen, err := readTailEnd(w.s.tailPath())
	if err != nil || head.Seq <= seen.Seq && seen.Hash != "" {
		return err
	}
	return errors.Join(w.tail.add(head), w.tail.sync())
}

// loop serves the queue until it is closed and empty.
func (w *writer) loop(q *queue) {
	for {
		jobs := q.take()
		if len(jobs) == 0 {
			return
		}
		var batch []*job
		for _, j := range jobs {
			if j.task == nil {
				batch = append(batch, j)
				continue
			}
			w.appends(batch)
			batch = nil
			w.runTask(j)
		}
		w.appends(batch)
	}
}

func (w *writer) runTask(j *job) {
	err := w.s.Refusal()
	if err == nil {
		err = w.judge("write the journal", j.task(w))
	}
	j.finish(err)
}

// appends commits a batch and answers its jobs. A batch that fails as a whole,
// for want of space say, is tried again one by one: the small may fit where the
// large does not.
func (w *writer) appends(batch []*job) {
	if len(batch) == 0 {
		return
	}
	err := w.s.Refusal()
	if err == nil {
		err = w.commit(batch)
	}
	if err != nil && len(batch) > 1 && w.s.Refusal() == nil {
		for _, j := range batch {
			w.appends([]*job{j})
		}
		return
	}
	for _, j := range batch {
		if err == nil {
			err := j.err
			j.finish(err)
			continue
		}
		j.finish(err)
	}
	if err == nil {
		w.checkpointWhenDue()
	}
}

// commit writes a batch in one transaction and, once that is on disk, its line
// in the tail.
func (w *writer) commit(batch []*job) error {
	if err := w.stillThere(); err != nil {
		return err
	}
	ctx := context.Background() // a transaction is not torn by one caller's context
	head, err := w.transact(ctx, batch)
	if err != nil {
		_, _ = w.conn.ExecContext(ctx, `ROLLBACK`)
		return w.judge("append to the journal", err)
	}
	if head.Seq == 0 {
		return nil
	}
	if err := w.tail.add(head); err != nil {
		return w.s.fail(err)
	}
	return nil
}

// stillThere refuses to write into files that were removed or replaced since they were
// opened: what is written there would be gone when this process ends.
func (w *writer) stillThere() error {
	for path, was := range w.files {
		now, err := os.Stat(path)
		if err == nil && os.SameFile(was, now) {
			continue
		}
		w.s.refuse("the file %q was removed or replaced while Kedge had it open", path)
		return w.s.Refusal()
	}
	return nil
}

// noteFiles keeps which files the journal was opened as.
func (w *writer) noteFiles() error {
	w.files = map[string]os.FileInfo{}
	for _, path := range []string{w.s.dbPath(), w.s.tailPath()} {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		w.files[path] = info
	}
	return nil
}

// transact runs the transaction; it gives the zero mark when nothing was added.
func (w *writer) transact(ctx context.Context, batch []*job) (mark, error) {
	if _, err := w.conn.ExecContext(ctx, `BEGIN IMMEDIATE`); err != nil {
		return mark{}, err
	}
	first, err := headOf(ctx, w.conn)
	if err != nil {
		return mark{}, err
	}
	head, docs := first, newDraft(storedDoc(ctx, w.conn))
	for _, j := range batch {
		if head, err = w.one(ctx, j, head, docs); err != nil {
			return mark{}, err
		}
	}
	if err := docs.write(ctx, w.conn); err != nil {
		return mark{}, err
	}
	if _, err := w.conn.ExecContext(ctx, `COMMIT`); err != nil {
		return mark{}, err
	}
	if head == first {
		return mark{}, nil
	}
	w.since += int(head.Seq - first.Seq)
	return head, nil
}

// one appends a single job inside the transaction. What is wrong with the job
// is left in the job; what is wrong with the database is returned. A job is
// folded whole before any of it is written, so that a refused one leaves
// nothing to undo and the transaction needs no savepoints.
func (w *writer) one(ctx context.Context, j *job, head mark, docs *draft) (mark, error) {
	j.out, j.again, j.err = nil, false, nil
	if j.err = j.ctx.Err(); j.err != nil {
		return head, nil //nolint:nilerr // it is in the job
	}
	if j.key != "" {
		seen, err := eventsOfRequest(ctx, w.conn, j.key)
		if err != nil {
			return head, err
		}
		if len(seen) > 0 {
			j.out, j.again = seen, true
			return head, nil
		}
	}
	rows, changed, err := w.foldJob(j, head, docs)
	if err != nil {
		if code(err) != 0 {
			return head, err
		}
		j.err = err
		return head, nil
	}
	docs.take(changed)
	return w.insert(ctx, j, rows)
}

// foldJob links a job's events after head and folds each over docs, which it
// leaves as they are.
func (w *writer) foldJob(j *job, head mark, docs *draft) ([]row, *draft, error) {
	at := w.s.now()
	mine := newDraft(docs.get)
	rows := make([]row, len(j.evs))
	for i, ev := range j.evs {
		rows[i] = w.s.chain.link(ev, j.key, head, at)
		head = mark{Seq: rows[i].Seq, Hash: rows[i].Hash}
		changes, err := fold(rows[i].Event, mine.get)
		if err != nil {
			return nil, nil, err
		}
		for _, c := range changes {
			mine.put(c)
		}
	}
	return rows, mine, nil
}

// insert writes a job's rows.
func (w *writer) insert(ctx context.Context, j *job, rows []row) (mark, error) {
	var head mark
	j.out = make([]kedge.Event, len(rows))
	for i, r := range rows {
		if err := insertRow(ctx, w.conn, &r); err != nil {
			return head, err
		}
		j.out[i] = r.Event
		head = mark{Seq: r.Seq, Hash: r.Hash}
	}
	return head, nil
}

func insertRow(ctx context.Context, conn executor, r *row) error {
	_, err := conn.ExecContext(ctx,
		`INSERT INTO events (`+eventColumns+`) VALUES (?,?,?,?,?,?,?,?,?,?)`,
		r.Seq, r.V, string(r.ID), r.at, string(r.Project), string(r.Actor), string(r.Type), string(r.Data), r.request, r.Hash)
	return err
}

// judge turns an error of SQLite into the one to show, and ends the store's
// writing when the disk itself failed.
func (w *writer) judge(doing string, err error) error {
	if err == nil {
		return nil
	}
	if isFatal(err) {
		return w.s.fail(err)
	}
	if code(err) != 0 {
		return w.s.fault(doing, err)
	}
	return err
}

// checkpointWhenDue moves the log into the database now and then. What is in
// the log is safe already, so want of space or a busy reader only means later;
// but a failing disk ends everything.
func (w *writer) checkpointWhenDue() {
	if w.since < checkpointEvery {
		return
	}
	w.since = 0
	if _, err := w.conn.ExecContext(context.Background(), `PRAGMA wal_checkpoint(PASSIVE)`); err != nil {
		_ = w.judge("shorten the journal's log", err)
	}
}

// close empties the log into the database, unless the disk failed: then what is
// there must stay as it is for the next process to judge.
func (w *writer) close() error {
	var err error
	if w.s.Refusal() == nil {
		_, err = w.conn.ExecContext(context.Background(), `PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE)`)
		if isFull(err) {
			err = nil
		}
		err = errors.Join(err, w.tail.sync())
	}
	if err = errors.Join(err, w.shut()); err != nil {
		return kedge.Errorf(kedge.Internal, "cannot close Kedge's journal: %w", err)
	}
	return nil
}

func (w *writer) shut() error {
	var err error
	if w.tail != nil {
		err = w.tail.f.Close()
	}
	return errors.Join(err, w.conn.close(), w.db.Close())
}
