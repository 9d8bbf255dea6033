-- origin: who began it: request, session or goal.
-- is_consolidated: gists tell of all its observations, which may be archived then.
ALTER TABLE episode ADD COLUMN origin TEXT NOT NULL DEFAULT 'request';
-- after_observation_key, after_chunk_id: the last ones that were there when it began.
ALTER TABLE episode ADD COLUMN is_consolidated INTEGER NOT NULL DEFAULT 0;
ALTER TABLE episode ADD COLUMN after_observation_key INTEGER NOT NULL DEFAULT 0;
ALTER TABLE episode ADD COLUMN after_chunk_id INTEGER NOT NULL DEFAULT 0;
CREATE INDEX episode_unconsolidated ON episode (episode_key) WHERE NOT is_consolidated;
CREATE INDEX episode_active ON episode (episode_key) WHERE status = 0;

-- Outside of episodes all observations up to this key were looked at, and have a gist or are noise,
CREATE TABLE consolidation_mark (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    last_observation_key INTEGER NOT NULL
);
INSERT INTO consolidation_mark VALUES (1, 0);
-- but these, which the clock had not reached yet.
CREATE TABLE passed_over (
    observation_key INTEGER PRIMARY KEY REFERENCES observation ON DELETE CASCADE
);
CREATE INDEX observation_free ON observation (stamp_ns)
    WHERE episode_key IS NULL AND text_key IS NOT NULL;
CREATE VIEW free_waiting AS
    SELECT observation_key FROM observation INDEXED BY observation_free
    WHERE episode_key IS NULL AND text_key IS NOT NULL
    AND observation_key > (SELECT last_observation_key FROM consolidation_mark)
    UNION ALL SELECT observation_key FROM passed_over;

-- text_key: its name. weight: sum of the weights that the place is the mean of.
-- changed: the commit that last touched the row.
CREATE TABLE entity (
    entity_key INTEGER PRIMARY KEY AUTOINCREMENT,
    text_key INTEGER NOT NULL REFERENCES text,
    map_key INTEGER NOT NULL REFERENCES map,
    object_key INTEGER REFERENCES object ON DELETE SET NULL,
    x REAL NOT NULL, y REAL NOT NULL, z REAL NOT NULL,
    weight REAL NOT NULL,
    first_seen_ns INTEGER NOT NULL,
    last_seen_ns INTEGER NOT NULL,
    observation_count INTEGER NOT NULL,
    changed INTEGER NOT NULL
);
CREATE INDEX entity_text ON entity (text_key);
CREATE INDEX entity_place ON entity (map_key, x);
CREATE INDEX entity_changed ON entity (changed);
CREATE INDEX entity_object ON entity (object_key) WHERE object_key IS NOT NULL;

-- unit: event, goal, group, day, week, month, year or root. is_open: more may come into it.
ALTER TABLE history_node ADD COLUMN unit TEXT NOT NULL DEFAULT 'group';
ALTER TABLE history_node ADD COLUMN source TEXT NOT NULL DEFAULT '';
ALTER TABLE history_node ADD COLUMN is_open INTEGER NOT NULL DEFAULT 0;
CREATE INDEX history_node_top ON history_node (unit, start_ns) WHERE parent_key IS NULL;
CREATE INDEX history_node_span ON history_node (unit, start_ns, end_ns);
CREATE INDEX keyframe_chunk ON keyframe (chunk_id);

-- How far the history has been told: chunks up to the one, observations up to the other.
CREATE TABLE history_mark (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    last_chunk_id INTEGER NOT NULL,
    last_observation_key INTEGER NOT NULL
);
INSERT INTO history_mark VALUES (1, 0, 0);

-- The commit that last dropped images: a reader that is behind it reads all keyframes anew.
CREATE TABLE image_mark (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    sequence INTEGER NOT NULL
);
INSERT INTO image_mark VALUES (1, 0);

INSERT INTO row_count VALUES
    ('entity', 0), ('history_node', (SELECT count(*) FROM history_node));
CREATE TRIGGER count_entity AFTER INSERT ON entity BEGIN
    UPDATE row_count SET rows = rows + 1 WHERE table_name = 'entity';
END;
CREATE TRIGGER uncount_entity AFTER DELETE ON entity BEGIN
    UPDATE row_count SET rows = rows - 1 WHERE table_name = 'entity';
END;
CREATE TRIGGER count_history_node AFTER INSERT ON history_node BEGIN
    UPDATE row_count SET rows = rows + 1 WHERE table_name = 'history_node';
END;
CREATE TRIGGER uncount_history_node AFTER DELETE ON history_node BEGIN
    UPDATE row_count SET rows = rows - 1 WHERE table_name = 'history_node';
END;
