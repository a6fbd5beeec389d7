-- Outputs that the steps have delivered, kept until the brokers have surely flushed them: a log that has lost some of them
-- is sent them again, in their order.
CREATE TABLE IF NOT EXISTS stream.outboxes (
    step        text        NOT NULL,
    partition   integer     NOT NULL,
    next_offset bigint      NOT NULL,   -- the position of the batch
    outbox      bytea       NOT NULL,
    delivered   jsonb       NOT NULL,   -- [topic, partition, leader epoch, offset behind the last of them]
    erasure     boolean     NOT NULL DEFAULT false,  -- it has the rows alone that carry one: no text
    kept_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (step, partition, next_offset)
);
