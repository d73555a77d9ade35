-- readable by: 2

-- Files of a session's workspace that may hold words of strangers. Stays when the session goes: its files do.
create table file_taint (
  session_key text collate "C" primary key,
  -- Relative to the workspace. Null: all of them.
  paths text[],
  marked_at timestamptz not null default clock_timestamp()
);
