-- readable by: 2

-- Calls that go on beside their turn are listed among the processes of workspaces, and end where nobody would be told their result.
alter table background_process add column turn_id text collate "C";
-- It was let go: whoever stops the turn, or the conversation, stops it too.
alter table background_process add column is_let_go boolean not null default false;
-- The shell of a session, in which commands may have left something. Nobody lists it.
alter table background_process add column is_shell boolean not null default false;

-- What such a call has brought besides its text.
alter table open_call add column brought jsonb;
