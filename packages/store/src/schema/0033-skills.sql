-- readable by: 2

-- What owners have accepted, as it was then: the digest stands for all files of a skill. Earlier ones stay, for hosts that have them still
-- and for whoever goes back to one.
create table accepted_skill (
  digest bytea primary key,
  name text collate "C" not null,
  accepted_at timestamptz not null default clock_timestamp()
);
create index accepted_skill_name on accepted_skill (name, accepted_at);
