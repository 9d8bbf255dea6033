-- Vertices of the pose graphs of maps, where the poses on a map take them to be.
-- made_ns: when one was heard of first.
CREATE TABLE map_vertex (
    map_key INTEGER NOT NULL REFERENCES map,
    vertex_id INTEGER NOT NULL,
    made_ns INTEGER NOT NULL,
    x REAL NOT NULL, y REAL NOT NULL,
    PRIMARY KEY (map_key, vertex_id)
) WITHOUT ROWID;

-- A movement of a map, that the poses of before until_ns have followed.
-- sequence: the commit that applied or undid it; NULL until then.
-- stale_m: nobody knows how it moved, only how far: poses since from_ns are less certain.
-- last_event_key: of the edits that came before it, and log rows as they were then.
-- is_final: it is too old to be undone, and what it moved is written down no longer.
CREATE TABLE map_correction (
    correction_key INTEGER PRIMARY KEY AUTOINCREMENT,
    map_key INTEGER NOT NULL REFERENCES map,
    sequence INTEGER,
    from_ns INTEGER NOT NULL,
    until_ns INTEGER NOT NULL,
    stale_m REAL,
    last_event_key INTEGER NOT NULL DEFAULT 0,
    is_undone INTEGER NOT NULL DEFAULT 0,
    is_final INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX map_correction_sequence ON map_correction (sequence);

-- x, y: of a vertex before the correction. The motion of all that hangs on it, as a pose.
CREATE TABLE map_motion (
    correction_key INTEGER NOT NULL REFERENCES map_correction ON DELETE CASCADE,
    vertex_id INTEGER NOT NULL,
    made_ns INTEGER NOT NULL,
    x REAL NOT NULL, y REAL NOT NULL,
    motion_x REAL NOT NULL, motion_y REAL NOT NULL, motion_yaw REAL NOT NULL,
    PRIMARY KEY (correction_key, vertex_id)
) WITHOUT ROWID;

-- What a correction has changed, and the vertex that it hung on; kind: see store/placed.py.
CREATE TABLE map_anchor (
    correction_key INTEGER NOT NULL REFERENCES map_correction ON DELETE CASCADE,
    kind INTEGER NOT NULL,
    key INTEGER NOT NULL,
    vertex_id INTEGER,
    PRIMARY KEY (correction_key, kind, key)
) WITHOUT ROWID;

-- The square of how far the map has moved since, nobody knows where to.
ALTER TABLE keyframe ADD COLUMN stale_m2 REAL NOT NULL DEFAULT 0;
