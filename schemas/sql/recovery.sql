-- Offsets that readers had passed and that the log no longer held when its broker came back (`memstream recover`).
CREATE TABLE IF NOT EXISTS ops.log_losses (
    topic        text        NOT NULL,
    partition    integer     NOT NULL,
    first_offset bigint      NOT NULL,
    next_offset  bigint      NOT NULL,               -- the first offset that is used again
    at           timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (topic, partition, next_offset)      -- a recovery that was interrupted notes a loss once
);
