-- Records that were in hand when a step computed for too long: each is worked on alone (streams/watchdog.py).
CREATE TABLE IF NOT EXISTS stream.suspects (
    step          text        NOT NULL,
    topic         text        NOT NULL,
    partition     integer     NOT NULL,
    record_offset bigint      NOT NULL,
    timestamp_ms  bigint      NOT NULL,             -- of the record: another one at that offset is not meant
    times         integer     NOT NULL DEFAULT 1,   -- 1, and one more each time that it held the step alone
    noted_at      timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (step, topic, partition, record_offset)
);
