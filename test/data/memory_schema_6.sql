BEGIN TRANSACTION;
CREATE TABLE chunk (
    chunk_id INTEGER PRIMARY KEY,
    prompt_version TEXT NOT NULL,
    model TEXT NOT NULL,
    problems TEXT NOT NULL
);
INSERT INTO "chunk" VALUES(1,'detect_v1','recorded','[]');
INSERT INTO "chunk" VALUES(2,'detect_v1','recorded','["the reply was cut off"]');
INSERT INTO "chunk" VALUES(3,'detect_v1','recorded','[]');
CREATE TABLE clear_look (
    object_key INTEGER NOT NULL REFERENCES object ON DELETE CASCADE,
    keyframe_id INTEGER NOT NULL REFERENCES keyframe,
    PRIMARY KEY (object_key, keyframe_id)
) WITHOUT ROWID;
CREATE TABLE commit_log (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    sequence INTEGER NOT NULL
);
INSERT INTO "commit_log" VALUES(1,11);
CREATE TABLE consolidation_mark (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    last_observation_key INTEGER NOT NULL
);
INSERT INTO "consolidation_mark" VALUES(1,0);
CREATE TABLE edited_object (
    object_key INTEGER NOT NULL,
    event_key INTEGER NOT NULL REFERENCES object_event ON DELETE CASCADE,
    object_id TEXT NOT NULL,
    PRIMARY KEY (object_key, event_key)
) WITHOUT ROWID;
INSERT INTO "edited_object" VALUES(2,1,'desk_1');
CREATE TABLE embedding (
    embedding_key INTEGER PRIMARY KEY AUTOINCREMENT,
    text_key INTEGER NOT NULL UNIQUE REFERENCES text,
    model_key INTEGER NOT NULL REFERENCES embedding_model,
    vector BLOB NOT NULL
);
CREATE TABLE embedding_model (
    model_key INTEGER PRIMARY KEY,
    model_id TEXT NOT NULL UNIQUE,
    dimension INTEGER NOT NULL,
    is_active INTEGER NOT NULL
);
CREATE TABLE embedding_queue (
    text_key INTEGER PRIMARY KEY REFERENCES text,
    attempts INTEGER NOT NULL
);
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
CREATE TABLE "episode" (
    episode_key INTEGER PRIMARY KEY AUTOINCREMENT,
    parent_key INTEGER REFERENCES "episode",
    name TEXT NOT NULL,
    status INTEGER NOT NULL,
    start_ns INTEGER NOT NULL,
    end_ns INTEGER
, origin TEXT NOT NULL DEFAULT 'request', is_consolidated INTEGER NOT NULL DEFAULT 0, after_observation_key INTEGER NOT NULL DEFAULT 0, after_chunk_id INTEGER NOT NULL DEFAULT 0);
INSERT INTO "episode" VALUES(1,NULL,'patrol',1,0,8000000000,'request',0,0,0);
INSERT INTO "episode" VALUES(2,1,'kitchen',2,1,4000000000,'request',0,0,0);
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
CREATE TABLE history_mark (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    last_chunk_id INTEGER NOT NULL,
    last_observation_key INTEGER NOT NULL
);
INSERT INTO "history_mark" VALUES(1,0,0);
CREATE TABLE history_node (
    node_key INTEGER PRIMARY KEY AUTOINCREMENT,
    parent_key INTEGER REFERENCES history_node,
    level INTEGER NOT NULL,
    start_ns INTEGER NOT NULL,
    end_ns INTEGER NOT NULL,
    text TEXT NOT NULL,
    evidence TEXT NOT NULL
, unit TEXT NOT NULL DEFAULT 'group', source TEXT NOT NULL DEFAULT '', is_open INTEGER NOT NULL DEFAULT 0);
CREATE TABLE identity (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    memory_id TEXT NOT NULL
);
INSERT INTO "identity" VALUES(1,'00112233445566778899aabbccddeeff');
CREATE TABLE image_erasure (
    erasure_key INTEGER PRIMARY KEY,
    image_path TEXT NOT NULL,
    x0_px REAL, y0_px REAL, x1_px REAL, y1_px REAL
);
CREATE TABLE image_mark (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    sequence INTEGER NOT NULL
);
INSERT INTO "image_mark" VALUES(1,0);
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
, is_localized INTEGER NOT NULL DEFAULT 1);
INSERT INTO "keyframe" VALUES(1,1,0,'home','monday','map',0.1,0.0,0.0,0.0,0.0,0.0,1.0,0.1,0.0,1.0,-0.5,0.5,-0.5,0.5,640,480,500.0,500.0,320.0,240.0,'images/1.jpg',1);
INSERT INTO "keyframe" VALUES(2,1,2000000000,'home','monday','map',0.2,0.0,0.0,0.0,0.0,0.0,1.0,0.2,0.0,1.0,-0.5,0.5,-0.5,0.5,640,480,500.0,500.0,320.0,240.0,'images/2.jpg',1);
INSERT INTO "keyframe" VALUES(3,2,5000000000,'home','tuesday','robot/map',0.3,0.0,0.0,0.0,0.0,0.0,1.0,0.3,0.0,1.0,-0.5,0.5,-0.5,0.5,640,480,NULL,NULL,NULL,NULL,'images/3.jpg',0);
INSERT INTO "keyframe" VALUES(4,3,7000000000,'shed','tuesday','map',0.4,0.0,0.0,0.0,0.0,0.0,1.0,0.4,0.0,1.0,-0.5,0.5,-0.5,0.5,640,480,500.0,500.0,320.0,240.0,'images/4.jpg',1);
CREATE TABLE layer (
    layer_key INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
);
INSERT INTO "layer" VALUES(1,'battery');
INSERT INTO "layer" VALUES(2,'speech');
INSERT INTO "layer" VALUES(3,'description');
INSERT INTO "layer" VALUES(4,'detections');
INSERT INTO "layer" VALUES(5,'place');
INSERT INTO "layer" VALUES(6,'human_presence');
INSERT INTO "layer" VALUES(7,'action');
INSERT INTO "layer" VALUES(8,'goal');
INSERT INTO "layer" VALUES(9,'diagnostics');
INSERT INTO "layer" VALUES(10,'text');
CREATE TABLE link (
    kind TEXT NOT NULL,
    from_key INTEGER NOT NULL,
    to_key INTEGER NOT NULL,
    weight REAL NOT NULL,
    PRIMARY KEY (kind, from_key, to_key)
) WITHOUT ROWID;
CREATE TABLE map (
    map_key INTEGER PRIMARY KEY,
    map_id TEXT NOT NULL,
    map_frame TEXT NOT NULL,
    UNIQUE (map_id, map_frame)
);
INSERT INTO "map" VALUES(1,'attic','map');
INSERT INTO "map" VALUES(2,'home','map');
INSERT INTO "map" VALUES(3,'home','robot/map');
INSERT INTO "map" VALUES(4,'shed','map');
CREATE TABLE object (
    object_key INTEGER PRIMARY KEY,
    object_id TEXT NOT NULL UNIQUE,
    status INTEGER NOT NULL,
    first_seen_ns INTEGER NOT NULL,
    last_seen_ns INTEGER NOT NULL,
    view_count INTEGER NOT NULL,
    x REAL, y REAL, z REAL,
    covariance_m2 TEXT
, text_key INTEGER REFERENCES text, map_key INTEGER REFERENCES map, changed INTEGER NOT NULL DEFAULT 0, placed_since INTEGER NOT NULL DEFAULT 0, name TEXT, is_pinned INTEGER NOT NULL DEFAULT 0, pinned_chunk_id INTEGER);
INSERT INTO "object" VALUES(1,'mug_1',1,0,7000000000,3,1.5,0.25,0.75,'[0.01, 0.0, 0.0, 0.0, 0.01, 0.0, 0.0, 0.0, 0.01]',4,4,0,0,NULL,0,NULL);
INSERT INTO "object" VALUES(2,'desk_1',0,0,0,1,2.59750374376090453765e+00,0.0999001497504362,0.950049925124782,'[4.034439312947051, 0.15961691937307387, -0.0798084979333965, 0.15961691937307387, 0.05040164386270367, -0.0031910629821842082, -0.07980849793339649, -0.003191062982184208, 0.04561313704644864]',5,2,11,0,NULL,1,1);
INSERT INTO "object" VALUES(3,'mug_2',0,5000000000,5000000000,1,2.5,0.0,0.5,'[0.01, 0.0, 0.0, 0.0, 0.01, 0.0, 0.0, 0.0, 0.01]',3,3,0,0,NULL,0,NULL);
CREATE TABLE object_alias (
    object_id TEXT PRIMARY KEY,
    object_key INTEGER NOT NULL REFERENCES object ON DELETE CASCADE
) WITHOUT ROWID;
CREATE TABLE object_distinct (
    low_key INTEGER NOT NULL REFERENCES object ON DELETE CASCADE,
    high_key INTEGER NOT NULL REFERENCES object ON DELETE CASCADE,
    PRIMARY KEY (low_key, high_key)
) WITHOUT ROWID;
CREATE TABLE object_event (
    event_key INTEGER PRIMARY KEY AUTOINCREMENT,
    object_key INTEGER NOT NULL REFERENCES object ON DELETE CASCADE,
    kind TEXT NOT NULL,
    stamp_ns INTEGER NOT NULL,
    detail TEXT NOT NULL,
    is_undone INTEGER NOT NULL DEFAULT 0
);
INSERT INTO "object_event" VALUES(1,2,'pin',9000000000,'{"said": {"object_id": "desk_1", "is_pinned": true}, "changes": {"objects": [[2, {"object_key": 2, "object_id": "desk_1", "status": 0, "first_seen_ns": 0, "last_seen_ns": 0, "view_count": 1, "x": null, "y": null, "z": null, "covariance_m2": null, "text_key": 5, "map_key": 2, "changed": 0, "placed_since": 0, "name": null, "is_pinned": 0, "pinned_chunk_id": null}, {"object_key": 2, "object_id": "desk_1", "status": 0, "first_seen_ns": 0, "last_seen_ns": 0, "view_count": 1, "x": 2.5975037437609045, "y": 0.0999001497504362, "z": 0.950049925124782, "covariance_m2": "[4.034439312947051, 0.15961691937307387, -0.0798084979333965, 0.15961691937307387, 0.05040164386270367, -0.0031910629821842082, -0.07980849793339649, -0.003191062982184208, 0.04561313704644864]", "text_key": 5, "map_key": 2, "changed": 11, "placed_since": 0, "name": null, "is_pinned": 1, "pinned_chunk_id": 1}]], "removed": {}, "added": {}}, "events": {}}',0);
CREATE TABLE object_mark (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    last_key INTEGER NOT NULL
);
INSERT INTO "object_mark" VALUES(1,3);
CREATE TABLE object_number (
    stem_hash INTEGER PRIMARY KEY,
    highest INTEGER NOT NULL
);
INSERT INTO "object_number" VALUES(-5593081688341288659,1);
INSERT INTO "object_number" VALUES(-663589794437748292,2);
CREATE TABLE object_place (
    place_key INTEGER PRIMARY KEY,
    object_key INTEGER NOT NULL REFERENCES object ON DELETE CASCADE,
    map_key INTEGER NOT NULL REFERENCES map,
    x REAL NOT NULL, y REAL NOT NULL, z REAL NOT NULL,
    covariance_m2 TEXT NOT NULL,
    start_ns INTEGER NOT NULL,
    end_ns INTEGER NOT NULL
);
CREATE TABLE object_state (
    object_key INTEGER NOT NULL REFERENCES object,
    chunk_id INTEGER NOT NULL REFERENCES chunk,
    type TEXT NOT NULL,
    description TEXT NOT NULL,
    attributes TEXT NOT NULL,
    affordances TEXT NOT NULL,
    PRIMARY KEY (object_key, chunk_id)
) WITHOUT ROWID;
INSERT INTO "object_state" VALUES(1,1,'mug','on the desk','{"color": "red"}','["drink"]');
INSERT INTO "object_state" VALUES(1,3,'cup','chipped','{"color": "dark red", "size": "small"}','[]');
INSERT INTO "object_state" VALUES(2,1,'desk','','{}','[]');
INSERT INTO "object_state" VALUES(3,2,'mug','on the desk','{"color": "red"}','[]');
CREATE TABLE "observation" (
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
INSERT INTO "observation" VALUES(1,0,2,1,NULL,1,0.0,0.0,0.0,0.0,0.0,0.0,1.0,1.0,'battery_node',NULL);
INSERT INTO "observation" VALUES(2,3000000000,2,2,NULL,2,1.0,2.0,0.0,0.0,0.0,0.0,1.0,0.5,'',NULL);
INSERT INTO "observation" VALUES(4,6000000000,4,1,NULL,1,-1.0,0.5,0.25,0.0,0.0,0.0,1.0,1.0,'battery_node',NULL);
INSERT INTO "observation" VALUES(7,1000000000,1,2,NULL,3,3.0,0.0,0.0,0.0,0.0,0.0,1.0,1.0,'x''y
z',NULL);
CREATE TABLE passed_over (
    observation_key INTEGER PRIMARY KEY REFERENCES observation ON DELETE CASCADE
);
CREATE TABLE relation (
    subject_key INTEGER NOT NULL REFERENCES object,
    predicate TEXT NOT NULL,
    object_key INTEGER NOT NULL REFERENCES object,
    keyframe_id INTEGER NOT NULL REFERENCES keyframe,
    PRIMARY KEY (subject_key, predicate, object_key, keyframe_id)
) WITHOUT ROWID;
INSERT INTO "relation" VALUES(1,'on',2,1);
INSERT INTO "relation" VALUES(1,'on',2,2);
CREATE TABLE row_count (
    table_name TEXT PRIMARY KEY,
    rows INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO "row_count" VALUES('entity',0);
INSERT INTO "row_count" VALUES('episode',2);
INSERT INTO "row_count" VALUES('gist',0);
INSERT INTO "row_count" VALUES('history_node',0);
INSERT INTO "row_count" VALUES('keyframe',4);
INSERT INTO "row_count" VALUES('object',3);
INSERT INTO "row_count" VALUES('observation',4);
INSERT INTO "row_count" VALUES('relation',2);
INSERT INTO "row_count" VALUES('view',5);
CREATE TABLE session (
    session_key INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL UNIQUE,
    map_key INTEGER NOT NULL REFERENCES map,
    start_ns INTEGER NOT NULL,
    end_ns INTEGER NOT NULL
);
INSERT INTO "session" VALUES(1,'monday',2,0,2000000000);
INSERT INTO "session" VALUES(2,'tuesday',3,5000000000,7000000000);
CREATE TABLE spool_mark (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    last_chunk_id INTEGER NOT NULL
);
INSERT INTO "spool_mark" VALUES(1,3);
CREATE TABLE text (
    text_key INTEGER PRIMARY KEY AUTOINCREMENT,
    hash INTEGER NOT NULL,
    text TEXT NOT NULL
);
INSERT INTO "text" VALUES(1,7727267704070667665,'battery at 40 %');
INSERT INTO "text" VALUES(2,-1225730676920876796,'Where is my café mug?');
INSERT INTO "text" VALUES(3,-426247527466752673,'mug: on the desk, red');
INSERT INTO "text" VALUES(4,-1681999103911325778,'cup: chipped, dark red, small');
INSERT INTO "text" VALUES(5,-225956952293359986,'desk');
CREATE TABLE tombstone (
    sequence INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    key INTEGER NOT NULL,
    PRIMARY KEY (sequence, kind, key)
) WITHOUT ROWID;
CREATE TABLE tombstone_floor (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    sequence INTEGER NOT NULL
);
INSERT INTO "tombstone_floor" VALUES(1,0);
CREATE TABLE view (
    object_key INTEGER NOT NULL REFERENCES object,
    keyframe_id INTEGER NOT NULL REFERENCES keyframe,
    x0_px REAL NOT NULL, y0_px REAL NOT NULL, x1_px REAL NOT NULL, y1_px REAL NOT NULL,
    confidence REAL NOT NULL,
    point_x REAL, point_y REAL, point_z REAL,
    PRIMARY KEY (object_key, keyframe_id)
) WITHOUT ROWID;
INSERT INTO "view" VALUES(1,1,200.0,150.0,400.0,350.0,0.5,1.5,0.25,0.75);
INSERT INTO "view" VALUES(1,2,200.0,150.0,400.0,350.0,0.5,NULL,NULL,NULL);
INSERT INTO "view" VALUES(1,4,200.0,150.0,400.0,350.0,0.5,NULL,NULL,NULL);
INSERT INTO "view" VALUES(2,1,200.0,150.0,400.0,350.0,0.5,NULL,NULL,NULL);
INSERT INTO "view" VALUES(3,3,200.0,150.0,400.0,350.0,0.5,NULL,NULL,NULL);
CREATE TABLE view_embedding (
    object_key INTEGER NOT NULL,
    keyframe_id INTEGER NOT NULL,
    model_id TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (model_id, object_key, keyframe_id),
    FOREIGN KEY (object_key, keyframe_id) REFERENCES view
);
INSERT INTO "view_embedding" VALUES(1,1,'clip',2,X'003C0000');
CREATE INDEX keyframe_stamp ON keyframe (stamp_ns);
CREATE INDEX view_keyframe ON view (keyframe_id);
CREATE INDEX relation_keyframe ON relation (keyframe_id);
CREATE INDEX text_hash ON text (hash);
CREATE INDEX observation_stamp ON observation (stamp_ns) WHERE text_key IS NOT NULL;
CREATE INDEX observation_text ON observation (text_key, stamp_ns) WHERE text_key IS NOT NULL;
CREATE INDEX observation_episode ON observation (episode_key) WHERE episode_key IS NOT NULL;
CREATE UNIQUE INDEX observation_public ON observation (public_id) WHERE public_id IS NOT NULL;
CREATE INDEX object_text_key ON object (text_key);
CREATE INDEX object_changed ON object (changed);
CREATE INDEX gist_text ON gist (text_key);
CREATE INDEX gist_start ON gist (start_ns);
CREATE INDEX gist_episode ON gist (episode_key) WHERE episode_key IS NOT NULL;
CREATE INDEX episode_parent ON episode (parent_key) WHERE parent_key IS NOT NULL;
CREATE INDEX object_state_chunk ON object_state (chunk_id);
CREATE INDEX relation_object ON relation (object_key);
CREATE INDEX view_embedding_view ON view_embedding (object_key, keyframe_id);
CREATE INDEX history_node_parent ON history_node (parent_key);
CREATE INDEX history_node_time ON history_node (level, start_ns);
CREATE VIEW observation_tier (observation_key, tier) AS
    SELECT observation_key,
           CASE WHEN text_key IS NULL THEN 3 WHEN e.status > 0 THEN 2 ELSE 1 END
    FROM observation LEFT JOIN episode e USING (episode_key);
CREATE INDEX link_to ON link (kind, to_key);
CREATE VIEW edge (kind, from_key, to_key, weight) AS
    SELECT 'BELONGS_TO', observation_key, episode_key, 1.0 FROM observation
        WHERE episode_key IS NOT NULL
    UNION ALL SELECT 'SUBTASK_OF', episode_key, parent_key, 1.0 FROM episode
        WHERE parent_key IS NOT NULL
    UNION ALL SELECT kind, from_key, to_key, weight FROM link;
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
CREATE TRIGGER mark_object AFTER INSERT ON object BEGIN
    UPDATE object_mark SET last_key = max(last_key, new.object_key);
END;
CREATE INDEX object_place_object ON object_place (object_key);
CREATE INDEX clear_look_keyframe ON clear_look (keyframe_id);
CREATE INDEX keyframe_camera ON keyframe (camera_x, camera_y);
CREATE INDEX object_event_object ON object_event (object_key);
CREATE INDEX object_event_stamp ON object_event (stamp_ns);
CREATE INDEX edited_object_event ON edited_object (event_key);
CREATE INDEX object_alias_object ON object_alias (object_key);
CREATE INDEX object_distinct_high ON object_distinct (high_key);
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
CREATE INDEX episode_unconsolidated ON episode (episode_key) WHERE NOT is_consolidated;
CREATE INDEX episode_active ON episode (episode_key) WHERE status = 0;
CREATE INDEX observation_free ON observation (stamp_ns)
    WHERE episode_key IS NULL AND text_key IS NOT NULL;
CREATE VIEW free_waiting AS
    SELECT observation_key FROM observation INDEXED BY observation_free
    WHERE episode_key IS NULL AND text_key IS NOT NULL
    AND observation_key > (SELECT last_observation_key FROM consolidation_mark)
    UNION ALL SELECT observation_key FROM passed_over;
CREATE INDEX entity_text ON entity (text_key);
CREATE INDEX entity_place ON entity (map_key, x);
CREATE INDEX entity_changed ON entity (changed);
CREATE INDEX entity_object ON entity (object_key) WHERE object_key IS NOT NULL;
CREATE INDEX history_node_top ON history_node (unit, start_ns) WHERE parent_key IS NULL;
CREATE INDEX history_node_span ON history_node (unit, start_ns, end_ns);
CREATE INDEX keyframe_chunk ON keyframe (chunk_id);
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
CREATE VIRTUAL TABLE text_words USING fts5 (
    text, content = 'text', content_rowid = 'text_key',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO text_words (text_words, rank) VALUES ('pgsz', 2000);
INSERT INTO text_words (text_words) VALUES ('rebuild');
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('episode',2);
INSERT INTO "sqlite_sequence" VALUES('text',5);
INSERT INTO "sqlite_sequence" VALUES('observation',7);
INSERT INTO "sqlite_sequence" VALUES('object_event',1);
COMMIT;
PRAGMA user_version = 6;
