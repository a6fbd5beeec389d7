-- State, outputs and offset of the steps: one transaction a batch (DESIGN, delivery rule 4).
CREATE SCHEMA IF NOT EXISTS stream;

CREATE TABLE stream.positions (
    step        text        NOT NULL,
    partition   integer     NOT NULL,
    next_offset bigint      NOT NULL,
    progress    jsonb       NOT NULL,
    seen        jsonb       NOT NULL,
    outbox      bytea       NOT NULL,   -- the last batch's outputs, delivered again on take-over
    no_erasure_at bigint,               -- equal to next_offset: none of them is an erasure
    leader_epoch integer,               -- of the record before leader_offset; the log that lost it is known by that
    leader_offset bigint,               -- next_offset when that was stored
    updated_at  timestamptz NOT NULL,
    PRIMARY KEY (step, partition)
);

CREATE TABLE stream.state (
    step      text    NOT NULL,
    partition integer NOT NULL,
    owner     text    NOT NULL,
    key       text    NOT NULL,
    value     bytea   NOT NULL,
    expires_at timestamptz,             -- swept by ticks, so that the state is bounded
    PRIMARY KEY (step, partition, owner, key)
);
CREATE INDEX state_expiry ON stream.state (step, partition, expires_at) WHERE expires_at IS NOT NULL;
