-- Ids are never given again: not even that of an episode that was forgotten.
CREATE TABLE episode_4 (
    episode_key INTEGER PRIMARY KEY AUTOINCREMENT,
    parent_key INTEGER REFERENCES episode_4,
    name TEXT NOT NULL,
    status INTEGER NOT NULL,
    start_ns INTEGER NOT NULL,
    end_ns INTEGER
);
INSERT INTO episode_4 SELECT * FROM episode ORDER BY episode_key;
DROP TABLE episode;
ALTER TABLE episode_4 RENAME TO episode;

-- Texts stand once, however often they are said: words and vectors belong to the text.
CREATE TABLE text (
    text_key INTEGER PRIMARY KEY AUTOINCREMENT,
    hash INTEGER NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX text_hash ON text (hash);
CREATE VIRTUAL TABLE text_words USING fts5 (
    text, content = 'text', content_rowid = 'text_key',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
-- Parts are merged by so many pages at once: half the size of page halves the longest commit.
INSERT INTO text_words (text_words, rank) VALUES ('pgsz', 2000);

-- One model at a time is active: its vectors are compared, and what it has not embedded yet waits.
CREATE TABLE embedding_model (
    model_key INTEGER PRIMARY KEY,
    model_id TEXT NOT NULL UNIQUE,
    dimension INTEGER NOT NULL,
    is_active INTEGER NOT NULL
);
-- vector: float16, little-endian. Keys ascend, so that a reader finds what is new to it.
CREATE TABLE embedding (
    embedding_key INTEGER PRIMARY KEY AUTOINCREMENT,
    text_key INTEGER NOT NULL UNIQUE REFERENCES text,
    model_key INTEGER NOT NULL REFERENCES embedding_model,
    vector BLOB NOT NULL
);
CREATE TABLE embedding_queue (
    text_key INTEGER PRIMARY KEY REFERENCES text,
    attempts INTEGER NOT NULL
);

-- One id may come with several frames: that of a robot's namespace, for instance.
CREATE TABLE map (
    map_key INTEGER PRIMARY KEY,
    map_id TEXT NOT NULL,
    map_frame TEXT NOT NULL,
    UNIQUE (map_id, map_frame)
);
CREATE TABLE session (
    session_key INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL UNIQUE,
    map_key INTEGER NOT NULL REFERENCES map,
    start_ns INTEGER NOT NULL,
    end_ns INTEGER NOT NULL
);
CREATE TABLE layer (
    layer_key INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);

INSERT INTO map (map_id, map_frame)
    SELECT map_id, map_frame FROM keyframe UNION SELECT map_id, map_frame FROM observation;
INSERT INTO session (session_id, map_key, start_ns, end_ns)
    SELECT s.session_id, m.map_key, s.start_ns, s.end_ns
    FROM (
        SELECT session_id, min(keyframe_id) AS keyframe_id,
               min(stamp_ns) AS start_ns, max(stamp_ns) AS end_ns
        FROM keyframe GROUP BY session_id
    ) s JOIN keyframe k USING (keyframe_id) JOIN map m USING (map_id, map_frame);
INSERT INTO layer (name) SELECT DISTINCT layer FROM observation ORDER BY layer;
INSERT INTO text (hash, text)
    SELECT text_hash(text), text FROM (SELECT DISTINCT text FROM observation);

-- text_key: NULL once it is archived.
-- public_id: given by whoever observed; without one it is observation_<key>.
CREATE TABLE observation_4 (
    observation_key INTEGER PRIMARY KEY AUTOINCREMENT,
    stamp_ns INTEGER NOT NULL,
    map_key INTEGER NOT NULL REFERENCES map,
    layer_key INTEGER NOT NULL REFERENCES layer,
    episode_key INTEGER REFERENCES episode,
    text_key INTEGER REFERENCES text,
    x REAL NOT NULL, y REAL NOT NULL, z REAL NOT NULL,
    qx REAL NOT NULL, qy REAL NOT NULL, qz REAL NOT NULL, qw REAL NOT NULL,
    confidence REAL NOT NULL,
    source TEXT NOT NULL,
    public_id TEXT
);
INSERT INTO observation_4
    SELECT o.observation_key, o.stamp_ns, m.map_key, l.layer_key, NULL, t.text_key,
           o.x, o.y, o.z, o.qx, o.qy, o.qz, o.qw, o.confidence, o.source, NULL
    FROM observation o JOIN map m USING (map_id, map_frame) JOIN layer l ON l.name = o.layer
    JOIN text t ON t.hash = text_hash(o.text) AND t.text = o.text ORDER BY o.observation_key;
DROP TABLE observation;
ALTER TABLE observation_4 RENAME TO observation;
CREATE INDEX observation_stamp ON observation (stamp_ns) WHERE text_key IS NOT NULL;
CREATE INDEX observation_text ON observation (text_key, stamp_ns) WHERE text_key IS NOT NULL;
CREATE INDEX observation_episode ON observation (episode_key) WHERE episode_key IS NOT NULL;
CREATE UNIQUE INDEX observation_public ON observation (public_id) WHERE public_id IS NOT NULL;

-- changed: the commit that last touched the row, so that a reader finds what is new to it.
ALTER TABLE object ADD COLUMN text_key INTEGER REFERENCES text;
ALTER TABLE object ADD COLUMN map_key INTEGER REFERENCES map;
ALTER TABLE object ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
CREATE TEMP TABLE object_text AS
    SELECT object_key, object_text(type, description, attributes) AS text FROM object_state s
    WHERE chunk_id = (SELECT max(chunk_id) FROM object_state WHERE object_key = s.object_key);
INSERT INTO text (hash, text)
    SELECT text_hash(text), text FROM (SELECT DISTINCT text FROM object_text) n
    WHERE NOT EXISTS (SELECT 1 FROM text t WHERE t.hash = text_hash(n.text) AND t.text = n.text);
UPDATE object SET
    text_key = (
        SELECT t.text_key FROM object_text o JOIN text t
        ON t.hash = text_hash(o.text) AND t.text = o.text WHERE o.object_key = object.object_key
    ),
    map_key = (
        SELECT m.map_key FROM view v JOIN keyframe k USING (keyframe_id)
        JOIN map m USING (map_id, map_frame)
        WHERE v.object_key = object.object_key ORDER BY k.keyframe_id DESC LIMIT 1
    );
DROP TABLE object_text;
CREATE INDEX object_text_key ON object (text_key);
CREATE INDEX object_changed ON object (changed);
INSERT INTO text_words (text_words) VALUES ('rebuild');

CREATE TABLE gist (
    gist_key INTEGER PRIMARY KEY AUTOINCREMENT,
    text_key INTEGER NOT NULL REFERENCES text,
    map_key INTEGER NOT NULL REFERENCES map,
    episode_key INTEGER REFERENCES episode,
    x REAL NOT NULL, y REAL NOT NULL, z REAL NOT NULL,
    radius_m REAL NOT NULL,
    start_ns INTEGER NOT NULL,
    end_ns INTEGER NOT NULL,
    observation_count INTEGER NOT NULL,
    source TEXT NOT NULL
);
CREATE INDEX gist_text ON gist (text_key);
CREATE INDEX gist_start ON gist (start_ns);
CREATE INDEX gist_episode ON gist (episode_key) WHERE episode_key IS NOT NULL;

-- Without these each row that is forgotten would cost a scan for rows that refer to it.
CREATE INDEX episode_parent ON episode (parent_key) WHERE parent_key IS NOT NULL;
CREATE INDEX object_state_chunk ON object_state (chunk_id);
CREATE INDEX relation_object ON relation (object_key);
CREATE INDEX view_embedding_view ON view_embedding (object_key, keyframe_id);

CREATE TABLE history_node (
    node_key INTEGER PRIMARY KEY AUTOINCREMENT,
    parent_key INTEGER REFERENCES history_node,
    level INTEGER NOT NULL,
    start_ns INTEGER NOT NULL,
    end_ns INTEGER NOT NULL,
    text TEXT NOT NULL,
    evidence TEXT NOT NULL
);
CREATE INDEX history_node_parent ON history_node (parent_key);
CREATE INDEX history_node_time ON history_node (level, start_ns);

-- The tier follows from the rest: 1 short-term, 2 long-term (its episode has ended), 3 archived.
CREATE VIEW observation_tier (observation_key, tier) AS
    SELECT observation_key,
           CASE WHEN text_key IS NULL THEN 3 WHEN e.status > 0 THEN 2 ELSE 1 END
    FROM observation LEFT JOIN episode e USING (episode_key);

-- The edges of eMEM that no foreign key stands for; kind is the name of the edge.
CREATE TABLE link (
    kind TEXT NOT NULL,
    from_key INTEGER NOT NULL,
    to_key INTEGER NOT NULL,
    weight REAL NOT NULL,
    PRIMARY KEY (kind, from_key, to_key)
) WITHOUT ROWID;
CREATE INDEX link_to ON link (kind, to_key);
CREATE VIEW edge (kind, from_key, to_key, weight) AS
    SELECT 'BELONGS_TO', observation_key, episode_key, 1.0 FROM observation
        WHERE episode_key IS NOT NULL
    UNION ALL SELECT 'SUBTASK_OF', episode_key, parent_key, 1.0 FROM episode
        WHERE parent_key IS NOT NULL
    UNION ALL SELECT kind, from_key, to_key, weight FROM link;

-- What left the indices at which commit. kind: 0 observation, 1 object, 2 gist, 3 text.
CREATE TABLE tombstone (
    sequence INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    key INTEGER NOT NULL,
    PRIMARY KEY (sequence, kind, key)
) WITHOUT ROWID;

-- Tombstones up to this commit were dropped: a reader that is behind it reads all anew.
CREATE TABLE tombstone_floor (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    sequence INTEGER NOT NULL
);
INSERT INTO tombstone_floor VALUES (1, 0);

-- What of the images is to be forgotten still: a box, or without one the whole file.
CREATE TABLE image_erasure (
    erasure_key INTEGER PRIMARY KEY,
    image_path TEXT NOT NULL,
    x0_px REAL, y0_px REAL, x1_px REAL, y1_px REAL
);

-- How far the spool has been stored: kept also when chunks are forgotten.
CREATE TABLE spool_mark (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    last_chunk_id INTEGER NOT NULL
);
INSERT INTO spool_mark SELECT 1, coalesce(max(chunk_id), 0) FROM chunk;

-- Tells one memory from another, so that no cache of another one is taken for its own.
CREATE TABLE identity (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    memory_id TEXT NOT NULL
);
INSERT INTO identity VALUES (1, lower(hex(randomblob(16))));

-- Counting a million rows at each commit would cost more than the commit.
CREATE TABLE row_count (
    table_name TEXT PRIMARY KEY,
    rows INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO row_count VALUES
    ('keyframe', (SELECT count(*) FROM keyframe)), ('object', (SELECT count(*) FROM object)),
    ('view', (SELECT count(*) FROM view)), ('relation', (SELECT count(*) FROM relation)),
    ('observation', (SELECT count(*) FROM observation)),
    ('episode', (SELECT count(*) FROM episode)), ('gist', 0);
CREATE TRIGGER count_keyframe AFTER INSERT ON keyframe BEGIN
    UPDATE row_count SET rows = rows + 1 WHERE table_name = 'keyframe';
END;
CREATE TRIGGER uncount_keyframe AFTER DELETE ON keyframe BEGIN
    UPDATE row_count SET rows = rows - 1 WHERE table_name = 'keyframe';
END;
CREATE TRIGGER count_object AFTER INSERT ON object BEGIN
    UPDATE row_count SET rows = rows + 1 WHERE table_name = 'object';
END;
CREATE TRIGGER uncount_object AFTER DELETE ON object BEGIN
    UPDATE row_count SET rows = rows - 1 WHERE table_name = 'object';
END;
CREATE TRIGGER count_view AFTER INSERT ON view BEGIN
    UPDATE row_count SET rows = rows + 1 WHERE table_name = 'view';
END;
CREATE TRIGGER uncount_view AFTER DELETE ON view BEGIN
    UPDATE row_count SET rows = rows - 1 WHERE table_name = 'view';
END;
CREATE TRIGGER count_relation AFTER INSERT ON relation BEGIN
    UPDATE row_count SET rows = rows + 1 WHERE table_name = 'relation';
END;
CREATE TRIGGER uncount_relation AFTER DELETE ON relation BEGIN
    UPDATE row_count SET rows = rows - 1 WHERE table_name = 'relation';
END;
CREATE TRIGGER count_observation AFTER INSERT ON observation BEGIN
    UPDATE row_count SET rows = rows + 1 WHERE table_name = 'observation';
END;
CREATE TRIGGER uncount_observation AFTER DELETE ON observation BEGIN
    UPDATE row_count SET rows = rows - 1 WHERE table_name = 'observation';
END;
CREATE TRIGGER count_episode AFTER INSERT ON episode BEGIN
    UPDATE row_count SET rows = rows + 1 WHERE table_name = 'episode';
END;
CREATE TRIGGER uncount_episode AFTER DELETE ON episode BEGIN
    UPDATE row_count SET rows = rows - 1 WHERE table_name = 'episode';
END;
CREATE TRIGGER count_gist AFTER INSERT ON gist BEGIN
    UPDATE row_count SET rows = rows + 1 WHERE table_name = 'gist';
END;
CREATE TRIGGER uncount_gist AFTER DELETE ON gist BEGIN
    UPDATE row_count SET rows = rows - 1 WHERE table_name = 'gist';
END;
