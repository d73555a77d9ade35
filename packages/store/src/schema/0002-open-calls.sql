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
  -- Further calls that whoever approves may agree to: {scopes, covers, terms}. Null: this one alone.
  offer jsonb,
  settled_at timestamptz,
  settlement text,
  settled_by jsonb,
  content text,
  unique (turn_id, call_id)
);
create index open_call_session on open_call (session_key, asked_at) where settled_at is null;
create index open_call_expires on open_call (expires_at) where settled_at is null;
create index open_call_asked on open_call (asked_at);

-- What people have agreed to besides the call that they were asked about.
create table call_grant (
  -- That of the call.
  id text collate "C" primary key,
  -- `session`: until the session begins anew. `always`: in every session of the account.
  scope text not null,
  session_key text collate "C" not null,
  account_id text not null,
  -- As people read it.
  covers text not null,
  terms jsonb not null,
  given_by jsonb not null,
  by_role text not null,
  given_at timestamptz not null default clock_timestamp()
);
create index call_grant_session on call_grant (session_key, given_at);
create index call_grant_always on call_grant (account_id, given_at) where scope = 'always';
create index call_grant_given on call_grant (given_at);

-- Where an owner is asked what must be decided by an owner. One for each owner of an account.
create table home_conversation (
  account_id text not null,
  user_id text not null,
  conversation jsonb not null,
  set_at timestamptz not null default clock_timestamp(),
  primary key (account_id, user_id)
);

-- Since then every open call of the turn waits, and nobody holds its session.
alter table turn add column suspended_at timestamptz;
