package journal

import (
	"context"
	"strings"
	"unicode"
)

// Hit is a document that a search found.
type Hit struct {
	Kind    Kind   `json:"kind"`
	ID      string `json:"id"`
	Title   string `json:"title"`
	Excerpt string `json:"excerpt"` // of the body: the words around what matched, else its beginning; on one line
}

// Search finds notes, decisions, features, risks and checkpoints by words, best first.
// Words are never read as syntax; a word also finds longer words that begin with it.
// Documents with all words come first; only if there are none, those with any. A limit
// of 0 or less is 20.
func (s *Store) Search(ctx context.Context, query string, limit int) ([]Hit, error) {
	if limit <= 0 {
		limit = 20
	}
	terms := searchTerms(query)
	if len(terms) == 0 {
		return []Hit{}, nil
	}
	hits, err := s.match(ctx, strings.Join(terms, " AND "), limit)
	if err == nil && len(hits) == 0 && len(terms) > 1 {
		hits, err = s.match(ctx, strings.Join(terms, " OR "), limit)
	}
	if err != nil {
		return nil, s.fault("search the journal", err)
	}
	return hits, nil
}

// maxTerms bounds what one search may cost; more words than these add nothing.
const maxTerms = 32

// searchTerms makes quoted prefix terms of the words in a query. Only letters,
// digits and what belongs to them are left, so no term can be syntax.
func searchTerms(query string) []string {
	words := strings.FieldsFunc(query, func(r rune) bool {
		return r == unicode.ReplacementChar || !unicode.In(r, unicode.L, unicode.N, unicode.M)
	})
	var terms []string
	for _, w := range words {
		if len(terms) < maxTerms && strings.ContainsFunc(w, func(r rune) bool { return unicode.In(r, unicode.L, unicode.N) }) {
			terms = append(terms, `"`+w+`"*`)
		}
	}
	return terms
}

// match runs an expression; a word in the title counts for four in the body.
func (s *Store) match(ctx context.Context, expr string, limit int) ([]Hit, error) {
	rows, err := s.read.QueryContext(ctx,
		`SELECT d.kind, d.id, search.title, snippet(search, 1, '', '', '…', 24)
		   FROM search JOIN docs d ON d.n = search.rowid
		  WHERE search MATCH ?
		  ORDER BY bm25(search, 4.0, 1.0), d.kind, d.id LIMIT ?`, expr, limit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	hits := []Hit{}
	for rows.Next() {
		var h Hit
		if err := rows.Scan(&h.Kind, &h.ID, &h.Title, &h.Excerpt); err != nil {
			return nil, err
		}
		h.Excerpt = strings.Join(strings.Fields(h.Excerpt), " ")
		hits = append(hits, h)
	}
	return hits, rows.Err()
}
