CREATE TABLE commit_log (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    sequence INTEGER NOT NULL
);
INSERT INTO commit_log VALUES (1, 0);

CREATE TABLE keyframe (
    keyframe_id INTEGER PRIMARY KEY,
    chunk_id INTEGER NOT NULL,
    stamp_ns INTEGER NOT NULL,
    map_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    map_frame TEXT NOT NULL,
    base_x REAL NOT NULL, base_y REAL NOT NULL, base_z REAL NOT NULL,
    base_qx REAL NOT NULL, base_qy REAL NOT NULL, base_qz REAL NOT NULL, base_qw REAL NOT NULL,
    camera_x REAL NOT NULL, camera_y REAL NOT NULL, camera_z REAL NOT NULL,
    camera_qx REAL NOT NULL, camera_qy REAL NOT NULL, camera_qz REAL NOT NULL,
    camera_qw REAL NOT NULL,
    width_px INTEGER NOT NULL, height_px INTEGER NOT NULL,
    fx_px REAL, fy_px REAL, cx_px REAL, cy_px REAL,
    image_path TEXT NOT NULL
);
CREATE INDEX keyframe_stamp ON keyframe (stamp_ns);

CREATE TABLE chunk (
    chunk_id INTEGER PRIMARY KEY,
    prompt_version TEXT NOT NULL,
    model TEXT NOT NULL,
    problems TEXT NOT NULL
);

CREATE TABLE object (
    object_key INTEGER PRIMARY KEY,
    object_id TEXT NOT NULL UNIQUE,
    status INTEGER NOT NULL,
    first_seen_ns INTEGER NOT NULL,
    last_seen_ns INTEGER NOT NULL,
    view_count INTEGER NOT NULL,
    x REAL, y REAL, z REAL,
    covariance_m2 TEXT
);

-- What each chunk said of an object: the newest row is current, the others are its history.
CREATE TABLE object_state (
    object_key INTEGER NOT NULL REFERENCES object,
    chunk_id INTEGER NOT NULL REFERENCES chunk,
    type TEXT NOT NULL,
    description TEXT NOT NULL,
    attributes TEXT NOT NULL,
    affordances TEXT NOT NULL,
    PRIMARY KEY (object_key, chunk_id)
) WITHOUT ROWID;

CREATE TABLE view (
    object_key INTEGER NOT NULL REFERENCES object,
    keyframe_id INTEGER NOT NULL REFERENCES keyframe,
    x0_px REAL NOT NULL, y0_px REAL NOT NULL, x1_px REAL NOT NULL, y1_px REAL NOT NULL,
    confidence REAL NOT NULL,
    point_x REAL, point_y REAL, point_z REAL,
    PRIMARY KEY (object_key, keyframe_id)
) WITHOUT ROWID;
CREATE INDEX view_keyframe ON view (keyframe_id);

CREATE TABLE relation (
    subject_key INTEGER NOT NULL REFERENCES object,
    predicate TEXT NOT NULL,
    object_key INTEGER NOT NULL REFERENCES object,
    keyframe_id INTEGER NOT NULL REFERENCES keyframe,
    PRIMARY KEY (subject_key, predicate, object_key, keyframe_id)
) WITHOUT ROWID;
CREATE INDEX relation_keyframe ON relation (keyframe_id);

CREATE TABLE observation (
    observation_key INTEGER PRIMARY KEY,
    stamp_ns INTEGER NOT NULL,
    map_id TEXT NOT NULL,
    map_frame TEXT NOT NULL,
    layer TEXT NOT NULL,
    text TEXT NOT NULL,
    x REAL NOT NULL, y REAL NOT NULL, z REAL NOT NULL,
    qx REAL NOT NULL, qy REAL NOT NULL, qz REAL NOT NULL, qw REAL NOT NULL,
    confidence REAL NOT NULL,
    source TEXT NOT NULL
);
CREATE INDEX observation_stamp ON observation (stamp_ns);

CREATE TABLE episode (
    episode_key INTEGER PRIMARY KEY,
    parent_key INTEGER REFERENCES episode,
    name TEXT NOT NULL,
    status INTEGER NOT NULL,
    start_ns INTEGER NOT NULL,
    end_ns INTEGER
);
