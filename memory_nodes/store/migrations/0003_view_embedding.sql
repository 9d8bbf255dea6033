-- vector: float16, little-endian. Only vectors of one model can be compared.
CREATE TABLE view_embedding (
    object_key INTEGER NOT NULL,
    keyframe_id INTEGER NOT NULL,
    model_id TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (model_id, object_key, keyframe_id),
    FOREIGN KEY (object_key, keyframe_id) REFERENCES view
);
