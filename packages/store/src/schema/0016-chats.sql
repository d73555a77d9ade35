-- readable by: 2

-- The conversations of all accounts as lists show them. Made from the inbox and the outbox by whoever reads them and by a timer, see
-- `chats/catch-up.sql`: a message that comes or goes writes nothing here.
create table chat (
  account_id text collate "C" not null,
  conversation_id text collate "C" not null,
  platform text not null,
  kind text not null,
  -- What it is called there: a group by its title, a direct one by the person.
  known_as text,
  -- What an operator calls it.
  title text,
  -- Those of its name.
  words tsvector,
  last_at timestamptz not null,
  -- What is not newer was read at the console.
  read_until timestamptz not null default '-infinity',
  -- What is not newer was deleted.
  deleted_at timestamptz not null default '-infinity',
  -- The newest memory of the session that was deleted with it.
  deleted_generation integer not null default 0,
  primary key (account_id, conversation_id)
) with (fillfactor = 70);
create index chat_last on chat (last_at, account_id, conversation_id);
create index chat_account on chat (account_id, last_at, conversation_id);
create index chat_deleted on chat (account_id, conversation_id) where deleted_at > '-infinity';
create index chat_words on chat using gin (words);

-- What was there before there were lists counts as read.
insert into chat (account_id, conversation_id, platform, kind, known_as, last_at, read_until)
select distinct on (conversation ->> 'accountId', conversation ->> 'conversationId')
       conversation ->> 'accountId', conversation ->> 'conversationId', conversation ->> 'platform', conversation ->> 'kind',
       conversation ->> 'title', greatest(heard.at, told.at), now()
  from session
       left join lateral (
         select max(recorded_at) as at from inbox
          where account_id = conversation ->> 'accountId' and conversation_id = conversation ->> 'conversationId') as heard on true
       left join lateral (
         select max(outbox.created_at) as at from outbox
          where account_id = conversation ->> 'accountId' and conversation_id = conversation ->> 'conversationId') as told on true
 where conversation ?& array['accountId', 'conversationId', 'platform', 'kind'] and greatest(heard.at, told.at) is not null
 order by conversation ->> 'accountId', conversation ->> 'conversationId', session.created_at desc;

-- What comes from now on is read at once, and what was there before by and by: where the one ends and the other begins.
insert into total (name, value)
select mark, value
  from (select floor(extract(epoch from now()) * 1000000)::bigint as inbox, coalesce((select max(id) from outbox), 0) as outbox) as now
       cross join lateral (values ('chats_inbox', now.inbox), ('chats_inbox_since', now.inbox),
                                  ('chats_outbox', now.outbox), ('chats_outbox_since', now.outbox)) as marks (mark, value);

-- The words of each line, for searches: of messages by the event's id, of texts of ours by the delivery's key.
create table chat_line (
  is_ours boolean not null,
  line_id text collate "C" not null,
  account_id text collate "C" not null,
  conversation_id text collate "C" not null,
  at timestamptz not null,
  words tsvector not null,
  primary key (line_id, account_id, is_ours)
);
create index chat_line_words on chat_line using gin (words);
create index chat_line_at on chat_line (at);
create index chat_line_conversation on chat_line (account_id, conversation_id, at);

-- Commands that people typed and buttons that they pressed, as the history shows them: `seen` knows only that there was one.
create table given_command (
  id bigint generated always as identity,
  event_id text collate "C" not null,
  account_id text collate "C" not null,
  conversation_id text collate "C" not null,
  -- `command` or `press`.
  did text not null,
  markdown text not null,
  display_name text not null,
  -- The message with the button.
  of_message text,
  thread_id text,
  at timestamptz not null default clock_timestamp(),
  primary key (event_id, account_id)
);
create index given_command_conversation on given_command (account_id, conversation_id, at);
create index given_command_at on given_command (at);
