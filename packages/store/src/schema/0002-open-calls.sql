-- readable by: 2

-- Tool calls that are answered later: what is asked, of whom, and how it ended. A row outlives its turn when the turn went on
-- without the answer.
create table open_call (
  -- Short, since people type it.
  id text collate "C" primary key,
  session_key text collate "C" not null,
  turn_id text collate "C" not null,
  call_id text collate "C" not null,
  name text not null,
  arguments text not null,
  waits_for text not null,
  shown text not null,
  -- The role that may decide. Null: nobody decides, the answer comes from elsewhere.
  approver text,
  -- Everyone whose words had entered the turn: an array of {sender, role}.
  askers jsonb not null,
  -- Where it was asked.
  route jsonb not null,
  asked_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  settled_at timestamptz,
  settlement text,
  settled_by jsonb,
  content text,
  unique (turn_id, call_id)
);
create index open_call_session on open_call (session_key, asked_at) where settled_at is null;
create index open_call_expires on open_call (expires_at) where settled_at is null;
create index open_call_asked on open_call (asked_at);

-- Since then every open call of the turn waits, and nobody holds its session.
alter table turn add column suspended_at timestamptz;
