-- Records that a step worked on for too long when its process was ended: they are tried alone (streams/watchdog.py).
CREATE TABLE IF NOT EXISTS stream.suspects (
    step          text        NOT NULL,
    topic         text        NOT NULL,
    partition     integer     NOT NULL,
    record_offset bigint      NOT NULL,
    times         integer     NOT NULL DEFAULT 1,   -- how often it was in hand
    noted_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (step, partition, record_offset)
);
