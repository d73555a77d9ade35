-- readable by: 2

-- Who has accepted a skill: a person's id with its account, or null for whoever ran the command, as in rows of earlier releases.
alter table accepted_skill add column accepted_by text;

-- What the agent itself has written, each version whole. Until its digest is accepted, a version is for the place where it was written.
create table learned_skill (
  name text collate "C" not null,
  version integer not null,
  digest bytea not null,
  description text not null,
  -- [{path, text}], SKILL.md with them.
  files jsonb not null,
  -- `<account>/<conversation>`.
  place text collate "C" not null,
  session_key text collate "C" not null,
  author text not null,
  event_id text,
  -- The taint, the roles and the audience of what it was made of.
  derived jsonb not null,
  -- Of the call that has written it, so that none does so twice.
  call_key text collate "C" not null,
  written_at timestamptz not null default clock_timestamp(),
  -- Since then somebody has gone back to an earlier one.
  withdrawn_at timestamptz,
  -- Of all versions: nobody has used it for long.
  archived_at timestamptz,
  primary key (name, version)
);
create unique index learned_skill_call on learned_skill (call_key);
create index learned_skill_place on learned_skill (place);
