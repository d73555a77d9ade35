-- readable by: 2

-- What a small model is to go through for facts: one row for each session at most, so that what is wanted again before it was done is
-- done once.
create table memory_pass (
  session_key text collate "C" primary key,
  -- Entries after the first up to the second, of these generations. Without `until`, nothing is wanted.
  since bigint not null default 0,
  until bigint,
  first_generation integer not null,
  generation integer not null,
  wanted_at timestamptz not null default clock_timestamp(),
  not_before timestamptz not null default '-infinity',
  -- The process that is at it, and which time it is that somebody is.
  holder text,
  fence bigint not null default 0,
  -- How often it was taken up, and how often the model has failed, since it was wanted.
  tries integer not null default 0,
  failures integer not null default 0,
  -- When the model was asked, in the last day.
  asked_at timestamptz[] not null default '{}'
);
create index memory_pass_wanted on memory_pass (wanted_at) where until is not null;

-- What was said before somebody forgot or corrected a fact is not gone through for facts any more.
alter table fact_subject add column settled_at timestamptz;

-- Why a model was asked where no turn did. Null: for a turn.
alter table usage add column purpose text;
