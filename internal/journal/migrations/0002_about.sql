-- What a document is about: a feature, a session, a run. Those about one thing are
-- found without reading the others of their kind. Empty: nothing it is asked by.
-- It is part of the fold (see subject); what was folded before gets it here.
ALTER TABLE docs ADD COLUMN about TEXT NOT NULL DEFAULT '';
UPDATE docs SET about = coalesce(CASE
    WHEN kind IN ('evidence', 'inspection', 'note') THEN doc ->> '$.feature'
    WHEN kind IN ('checkpoint', 'handoff') THEN doc ->> '$.session'
    WHEN kind = 'plan' THEN doc ->> '$.run'
    WHEN kind = 'said' THEN (doc ->> '$.run') || '/' || coalesce(doc ->> '$.feature', '')
    WHEN kind = 'session' THEN doc ->> '$.name'
  END, '')
  WHERE kind IN ('evidence', 'inspection', 'note', 'checkpoint', 'handoff', 'plan', 'said', 'session') AND json_valid(doc);
CREATE INDEX docs_about ON docs(kind, about) WHERE about <> '';

-- The newest of a kind is read first, and alone.
CREATE INDEX docs_pos ON docs(kind, pos, id);
