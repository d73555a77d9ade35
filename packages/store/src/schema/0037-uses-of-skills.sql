-- readable by: 2

-- A turn that has read a skill.
create table skill_use (
  turn_id text collate "C" not null,
  name text collate "C" not null,
  digest bytea not null,
  session_key text collate "C" not null,
  -- Who asked in it: `<account>/<id>`.
  users text[] collate "C" not null,
  used_at timestamptz not null default clock_timestamp(),
  -- `fine`, `failed`, or `unknown`: it ended for a reason that is not the skill's. Null: it is not over.
  outcome text,
  primary key (turn_id, name)
);
create index skill_use_name on skill_use (name, used_at);
create index skill_use_at on skill_use (used_at);
create index skill_use_open on skill_use (used_at) where outcome is null;

-- What became of a skill, as it was then.
create table skill_standing (
  digest bytea primary key,
  name text collate "C" not null,
  uses bigint not null default 0,
  last_used_at timestamptz,
  -- Its last two uses have failed: nobody is shown it.
  set_aside_at timestamptz,
  -- Owners were told of that.
  told_at timestamptz,
  -- Somebody has brought it back: what was before counts no more.
  restored_at timestamptz
);
create index skill_standing_name on skill_standing (name);

-- Somebody has gone back to an earlier version: it counts again only with the version that it was given for, or anew.
alter table accepted_skill add column suspended_at timestamptz;

-- When owners were told that it waits for them.
alter table learned_skill add column told_at timestamptz;
