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
CREATE TABLE commit_log (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    sequence INTEGER NOT NULL
);
INSERT INTO "commit_log" VALUES(1,9);
CREATE TABLE episode (
    episode_key INTEGER PRIMARY KEY,
    parent_key INTEGER REFERENCES episode,
    name TEXT NOT NULL,
    status INTEGER NOT NULL,
    start_ns INTEGER NOT NULL,
    end_ns INTEGER
);
INSERT INTO "episode" VALUES(1,NULL,'patrol',1,0,8000000000);
INSERT INTO "episode" VALUES(2,1,'kitchen',2,1,4000000000);
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
INSERT INTO "object" VALUES(1,'mug_1',1,0,7000000000,3,1.5,0.25,0.75,'[0.01, 0.0, 0.0, 0.0, 0.01, 0.0, 0.0, 0.0, 0.01]');
INSERT INTO "object" VALUES(2,'desk_1',0,0,0,1,NULL,NULL,NULL,NULL);
INSERT INTO "object" VALUES(3,'mug_2',0,5000000000,5000000000,1,2.5,0.0,0.5,'[0.01, 0.0, 0.0, 0.0, 0.01, 0.0, 0.0, 0.0, 0.01]');
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
INSERT INTO "observation" VALUES(1,0,'home','map','battery','battery at 40 %',0.0,0.0,0.0,0.0,0.0,0.0,1.0,1.0,'battery_node');
INSERT INTO "observation" VALUES(2,3000000000,'home','map','speech','Where is my café mug?',1.0,2.0,0.0,0.0,0.0,0.0,1.0,0.5,'');
INSERT INTO "observation" VALUES(4,6000000000,'shed','map','battery','battery at 40 %',-1.0,0.5,0.25,0.0,0.0,0.0,1.0,1.0,'battery_node');
INSERT INTO "observation" VALUES(7,1000000000,'attic','map','speech','mug: on the desk, red',3.0,0.0,0.0,0.0,0.0,0.0,1.0,1.0,'x''y
z');
CREATE TABLE relation (
    subject_key INTEGER NOT NULL REFERENCES object,
    predicate TEXT NOT NULL,
    object_key INTEGER NOT NULL REFERENCES object,
    keyframe_id INTEGER NOT NULL REFERENCES keyframe,
    PRIMARY KEY (subject_key, predicate, object_key, keyframe_id)
) WITHOUT ROWID;
INSERT INTO "relation" VALUES(1,'on',2,1);
INSERT INTO "relation" VALUES(1,'on',2,2);
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
CREATE INDEX observation_stamp ON observation (stamp_ns);
COMMIT;
PRAGMA user_version = 3;
