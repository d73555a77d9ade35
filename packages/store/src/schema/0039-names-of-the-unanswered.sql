-- readable by: 2

-- Of an event that was settled without a session and was meant for the agent: the name and username that its sender had then, cleaned and cut.
-- Whoever asks why somebody got no answer knows them by these. Rows of earlier releases have none.
alter table seen
  add column sender_name text,
  add column sender_handle text,
  -- Somebody pressed a button.
  add column is_press boolean not null default false;
