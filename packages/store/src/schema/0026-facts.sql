-- readable by: 2

-- What is known of the agent, a person, a group or a workspace. Whoever changes it says which version was read.
create table fact_subject (
  scope text not null,
  key text collate "C" not null,
  version bigint not null default 0,
  primary key (scope, key)
);

-- What is kept beyond a session, one line each.
create table fact (
  -- Short, since people type it.
  id bigint generated always as identity primary key,
  scope text not null,
  key text collate "C" not null,
  text text not null,
  trust text not null,
  author text not null,
  event_id text,
  about text,
  -- The taint, the roles and the audience of what it was made of.
  derived jsonb not null,
  -- Of `derived`. Null: whoever may see its subject.
  audience text[],
  version integer not null,
  -- Conversations that have begun with it.
  uses bigint not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  confirmed_at timestamptz not null default clock_timestamp(),
  -- Since then it counts no more.
  archived_at timestamptz,
  why text,
  replaced_by bigint
);
create index fact_kept on fact (scope, key) where archived_at is null;
create index fact_archived on fact (scope, key, archived_at) where archived_at is not null;
create index fact_replaced on fact (replaced_by) where replaced_by is not null;

-- Calls that have changed facts, so that none does so twice.
create table fact_call (
  key text collate "C" primary key,
  at timestamptz not null default clock_timestamp()
);
create index fact_call_at on fact_call (at);
