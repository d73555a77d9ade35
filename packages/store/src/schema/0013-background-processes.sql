-- readable by: 2

-- Processes of workspaces that outlive their call, each written before it starts and deleted once it has ended. They live and die
-- with the worker that holds them: a row of one that is gone stands for nothing.
create table background_process (
  -- Short, since people type it.
  id bigint generated always as identity primary key,
  session_key text collate "C" not null,
  held_by text collate "C" not null,
  -- As people read it: its beginning.
  command text not null,
  hosts text[] not null,
  -- What an agreement says that it may have been started under: the command, addresses of hosts.
  covers text[] not null,
  -- Everyone whose words had entered the turn: an array of {sender, role}.
  askers jsonb not null,
  -- Where it was asked for.
  route jsonb not null,
  started_at timestamptz not null default clock_timestamp(),
  -- Since then it has no right to go on, and its worker is to end it.
  end_at timestamptz,
  end_reason text
);
create index background_process_session on background_process (session_key);
create index background_process_holder on background_process (held_by);

-- How many turns in a row nobody has asked for.
alter table session add column unasked integer not null default 0;
