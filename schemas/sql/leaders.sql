-- How far steps had read under leaders (epochs) that they have no more: a log that has lost some of it is known by that
-- for good, also once the step has read on.
CREATE TABLE IF NOT EXISTS stream.former_leaders (
    step        text    NOT NULL,
    partition   integer NOT NULL,
    epoch       integer NOT NULL,
    next_offset bigint  NOT NULL,
    PRIMARY KEY (step, partition, epoch)
);
ALTER TABLE stream.positions ADD COLUMN IF NOT EXISTS leader_epoch integer;
ALTER TABLE stream.positions ADD COLUMN IF NOT EXISTS leader_offset bigint;
ALTER TABLE ops.log_losses ADD COLUMN IF NOT EXISTS lost bigint;
