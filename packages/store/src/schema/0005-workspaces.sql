-- readable by: 2

-- The worker whose process the call waits for: its answer is lost with it. Null: it waits for somebody, or something, else.
alter table open_call add column held_by text collate "C";
create index open_call_held on open_call (held_by) where settled_at is null and held_by is not null;

-- The files of a session, for the day on which it goes on elsewhere. Goes with the session.
create table workspace_copy (
  session_key text collate "C" primary key,
  -- Where the files themselves lie.
  place text not null,
  -- Of the snapshot; '' without one.
  digest text not null,
  -- A snapshot, compressed already. Null: they are too large to be kept.
  bytes bytea,
  kept_at timestamptz not null default clock_timestamp()
);
alter table workspace_copy alter column bytes set storage external;
