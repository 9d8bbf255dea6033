-- placed_since: the first keyframe whose views count for the position: it has moved before that.
-- name, is_pinned: given by a person, and kept by every later chunk.
-- pinned_chunk_id: the chunk whose state stays current while it is pinned.
ALTER TABLE object ADD COLUMN placed_since INTEGER NOT NULL DEFAULT 0;
ALTER TABLE object ADD COLUMN name TEXT;
ALTER TABLE object ADD COLUMN is_pinned INTEGER NOT NULL DEFAULT 0;
ALTER TABLE object ADD COLUMN pinned_chunk_id INTEGER;

-- A key is never given again: an object that was merged into another one may come back.
CREATE TABLE object_mark (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    last_key INTEGER NOT NULL
);
INSERT INTO object_mark SELECT 1, coalesce(max(object_key), 0) FROM object;
CREATE TRIGGER mark_object AFTER INSERT ON object BEGIN
    UPDATE object_mark SET last_key = max(last_key, new.object_key);
END;

-- Where an object was before it moved.
CREATE TABLE object_place (
    place_key INTEGER PRIMARY KEY,
    object_key INTEGER NOT NULL REFERENCES object ON DELETE CASCADE,
    map_key INTEGER NOT NULL REFERENCES map,
    x REAL NOT NULL, y REAL NOT NULL, z REAL NOT NULL,
    covariance_m2 TEXT NOT NULL,
    start_ns INTEGER NOT NULL,
    end_ns INTEGER NOT NULL
);
CREATE INDEX object_place_object ON object_place (object_key);

-- Since an object was seen last: different keyframes in which its place was in clear view without it.
CREATE TABLE clear_look (
    object_key INTEGER NOT NULL REFERENCES object ON DELETE CASCADE,
    keyframe_id INTEGER NOT NULL REFERENCES keyframe,
    PRIMARY KEY (object_key, keyframe_id)
) WITHOUT ROWID;
CREATE INDEX clear_look_keyframe ON clear_look (keyframe_id);

-- Whether a place was in the picture before is asked by where the pictures were taken.
CREATE INDEX keyframe_camera ON keyframe (camera_x, camera_y);

-- What happened to an object (new, moved, missing, found, expired), and what a person did to it
-- (rename, merge, split, pin, unpin, mark, undo); detail: JSON, all that it takes to undo it.
CREATE TABLE object_event (
    event_key INTEGER PRIMARY KEY AUTOINCREMENT,
    object_key INTEGER NOT NULL REFERENCES object ON DELETE CASCADE,
    kind TEXT NOT NULL,
    stamp_ns INTEGER NOT NULL,
    detail TEXT NOT NULL,
    is_undone INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX object_event_object ON object_event (object_key);
CREATE INDEX object_event_stamp ON object_event (stamp_ns);

-- The objects that a person's edit was about; some of them may be gone.
CREATE TABLE edited_object (
    object_key INTEGER NOT NULL,
    event_key INTEGER NOT NULL REFERENCES object_event ON DELETE CASCADE,
    object_id TEXT NOT NULL,
    PRIMARY KEY (object_key, event_key)
) WITHOUT ROWID;
CREATE INDEX edited_object_event ON edited_object (event_key);

-- The id of an object that was merged into another one: it stays known.
CREATE TABLE object_alias (
    object_id TEXT PRIMARY KEY,
    object_key INTEGER NOT NULL REFERENCES object ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX object_alias_object ON object_alias (object_key);

-- Pairs that a person has told apart, the lower key first: never one identity again.
CREATE TABLE object_distinct (
    low_key INTEGER NOT NULL REFERENCES object ON DELETE CASCADE,
    high_key INTEGER NOT NULL REFERENCES object ON DELETE CASCADE,
    PRIMARY KEY (low_key, high_key)
) WITHOUT ROWID;
CREATE INDEX object_distinct_high ON object_distinct (high_key);

-- The highest number that an id <type>_<number> was ever given: no object gets one a second time,
-- whatever became of the first. By a digest of what stands before the number, since a word of what
-- is forgotten may stand nowhere. A number of more than 15 digits is none of ours.
CREATE TABLE object_number (
    stem_hash INTEGER PRIMARY KEY,
    highest INTEGER NOT NULL
);
CREATE TRIGGER number_object AFTER INSERT ON object
WHEN length(NEW.object_id) - length(rtrim(NEW.object_id, '0123456789')) BETWEEN 1 AND 15 BEGIN
    INSERT OR IGNORE INTO object_number
        VALUES (text_hash(rtrim(NEW.object_id, '0123456789')), 0);
    UPDATE object_number
        SET highest = max(highest, CAST(
            substr(NEW.object_id, length(rtrim(NEW.object_id, '0123456789')) + 1) AS INTEGER
        ))
        WHERE stem_hash = text_hash(rtrim(NEW.object_id, '0123456789'));
END;
INSERT INTO object_number
    SELECT text_hash(rtrim(object_id, '0123456789')),
           max(CAST(substr(object_id, length(rtrim(object_id, '0123456789')) + 1) AS INTEGER))
    FROM object
    WHERE length(object_id) - length(rtrim(object_id, '0123456789')) BETWEEN 1 AND 15
    GROUP BY 1;
