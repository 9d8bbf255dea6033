-- placed_since: the first keyframe whose views count for the position: it has moved before that.
-- name, is_pinned: given by a person, and kept by every later chunk.
ALTER TABLE object ADD COLUMN placed_since INTEGER NOT NULL DEFAULT 0;
ALTER TABLE object ADD COLUMN name TEXT;
ALTER TABLE object ADD COLUMN is_pinned INTEGER NOT NULL DEFAULT 0;

-- Where an object was before it moved.
CREATE TABLE object_place (
    place_key INTEGER PRIMARY KEY,
    object_key INTEGER NOT NULL REFERENCES object,
    map_key INTEGER NOT NULL REFERENCES map,
    x REAL NOT NULL, y REAL NOT NULL, z REAL NOT NULL,
    covariance_m2 TEXT NOT NULL,
    start_ns INTEGER NOT NULL,
    end_ns INTEGER NOT NULL
);
CREATE INDEX object_place_object ON object_place (object_key);

-- Since an object was seen last: different keyframes in which its place was in clear view without it.
CREATE TABLE clear_look (
    object_key INTEGER NOT NULL REFERENCES object,
    keyframe_id INTEGER NOT NULL REFERENCES keyframe,
    PRIMARY KEY (object_key, keyframe_id)
) WITHOUT ROWID;
CREATE INDEX clear_look_keyframe ON clear_look (keyframe_id);

-- Whether a place was in the picture before is asked by where the pictures were taken.
CREATE INDEX keyframe_camera ON keyframe (camera_x, camera_y);

-- What happened to an object (new, moved, missing, found, expired), and what a person did to it
-- (rename, merge, split, pin, mark); detail: JSON, all that it takes to undo it.
CREATE TABLE object_event (
    event_key INTEGER PRIMARY KEY AUTOINCREMENT,
    object_key INTEGER NOT NULL REFERENCES object,
    kind TEXT NOT NULL,
    stamp_ns INTEGER NOT NULL,
    detail TEXT NOT NULL,
    is_undone INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX object_event_object ON object_event (object_key);
CREATE INDEX object_event_stamp ON object_event (stamp_ns);

-- The id of an object that was merged into another one: it stays known.
CREATE TABLE object_alias (
    object_id TEXT PRIMARY KEY,
    object_key INTEGER NOT NULL REFERENCES object
) WITHOUT ROWID;
CREATE INDEX object_alias_object ON object_alias (object_key);

-- Pairs that a person has told apart, the lower key first: never one identity again.
CREATE TABLE object_distinct (
    low_key INTEGER NOT NULL REFERENCES object,
    high_key INTEGER NOT NULL REFERENCES object,
    PRIMARY KEY (low_key, high_key)
) WITHOUT ROWID;
CREATE INDEX object_distinct_high ON object_distinct (high_key);
