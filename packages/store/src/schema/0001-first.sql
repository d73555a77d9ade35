-- readable by: 1

-- Tables that get a row or more for each message are pruned in the order of a time that is in an index: each statement
-- goes on where the last one ended, however many rows are too young or were deleted before.

-- Gateways and workers. A worker's sessions are free once its row is gone or its lease has ended.
create table process (
  id text collate "C" primary key,
  kind text not null,
  host text not null,
  pid integer not null,
  -- The `talaria start` that it belongs to; null for one that runs by itself.
  supervisor text collate "C",
  started_at timestamptz not null default clock_timestamp(),
  lease_until timestamptz not null,
  stats jsonb not null default '{}'
) with (fillfactor = 50);

-- Written at every event and every turn: small, no second index, room for heap-only updates.
create table session (
  session_key text collate "C" primary key,
  -- As the first event described it.
  conversation jsonb not null,
  -- Counts the memories of the session: a reset begins the next one.
  generation integer not null default 1,
  last_seq bigint not null default 0,
  -- A person stopped everything up to this event.
  cancel_seq bigint not null default 0,
  -- A later event superseded the turns that began up to this event.
  interrupt_seq bigint not null default 0,
  -- Events up to this one belong to earlier generations.
  reset_seq bigint not null default 0,
  -- The last event the holder could see when it claimed the session.
  claimed_seq bigint not null default 0,
  owner text collate "C",
  fence bigint not null default 0,
  open_turn text collate "C",
  open_first_seq bigint,
  -- When its holders died, or could not read or begin what waited, since the last turn that ended.
  failed_at timestamptz[] not null default '{}',
  -- When that had happened too often and the session was given up. Null again once a turn has ended.
  set_aside_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
) with (fillfactor = 60);
create index session_set_aside on session (session_key) where set_aside_at is not null;

-- What a session remembers from one reset to the next.
create table memory (
  session_key text collate "C" not null,
  generation integer not null,
  prompt text not null,
  -- History is read from this entry on. It moves seldom and far, so that prompts keep their beginning.
  history_from bigint not null default 0,
  primary key (session_key, generation)
);

-- Every event that was ever accepted. The primary key is the deduplication.
create table seen (
  event_id text collate "C" not null,
  account_id text collate "C" not null,
  conversation_id text collate "C" not null,
  message_id text collate "C",
  sender_id text not null,
  received_at timestamptz not null,
  recorded_at timestamptz not null,
  -- Null when the event went to a session: its state is in the inbox then.
  outcome text,
  reason text,
  primary key (event_id, account_id)
);
create index seen_message on seen (message_id) where message_id is not null;
create index seen_refused on seen (account_id, sender_id) where outcome = 'refused';
create index seen_recorded on seen (recorded_at);

-- Events for sessions. An event waits until a turn takes it or a reason drops it. Nothing overtakes one that is held.
create table inbox (
  session_key text collate "C" not null,
  seq bigint not null,
  account_id text collate "C" not null,
  event_id text collate "C" not null,
  conversation_id text collate "C" not null,
  mode text not null,
  -- What the sender may do, as decided when the event came in.
  role text,
  body jsonb not null,
  -- Null: the event's own conversation.
  route jsonb,
  -- Recorded again by a retry; people wrote it only once.
  again boolean not null default false,
  -- What was said before it and not to us: an array of messages, oldest first.
  overheard jsonb,
  -- Until then it is not read: it is read together with those of its key that follow.
  hold_key text,
  held_until timestamptz,
  -- However many follow, the first of a key waits no longer than this.
  hold_limit timestamptz,
  -- Its attachments are being fetched, at most so long.
  media_until timestamptz,
  recorded_at timestamptz not null,
  turn_id text collate "C",
  reason text,
  dropped_at timestamptz,
  primary key (session_key, seq)
);
create index inbox_waiting on inbox (session_key, seq) where turn_id is null and reason is null;
create index inbox_event on inbox (event_id, account_id);
create index inbox_conversation on inbox (account_id, conversation_id, recorded_at);
create index inbox_recorded on inbox (recorded_at);

create table turn (
  turn_id text collate "C" primary key,
  session_key text collate "C" not null,
  generation integer not null,
  first_seq bigint not null,
  last_seq bigint not null,
  fence bigint not null,
  state text not null default 'running',
  reason text,
  -- Taken out of the memory by a retry.
  retracted boolean not null default false,
  route jsonb not null,
  reply_to text,
  -- Who pays for it: [{charges}], as `spending.sql` describes them.
  spenders jsonb not null default '[]',
  -- The answer so far.
  partial text not null default '',
  resumed_at timestamptz[] not null default '{}',
  usage jsonb,
  started_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz
) with (fillfactor = 70);
create unique index turn_session on turn (session_key, first_seq);
create unique index turn_running on turn (session_key) where state = 'running';
create index turn_retracted on turn (session_key) where retracted;
create index turn_ended on turn (ended_at) where ended_at is not null;

-- Transcripts. Rows are only ever added. Type json keeps the order of keys, so a prompt built from it twice is the same.
create table entry (
  session_key text collate "C" not null,
  generation integer not null,
  id bigint generated always as identity,
  turn_id text collate "C" not null,
  kind text not null,
  -- Bytes of the body, so that a history can be measured without reading it.
  bytes integer not null generated always as (octet_length(body::text)) stored,
  created_at timestamptz not null default clock_timestamp(),
  body json not null,
  primary key (session_key, generation, id)
);

-- What was spent, one row per counter: `<unit>/<scope>/<ids>`. A window begins with its first use.
create table spending (
  key text collate "C" primary key,
  window_ms bigint not null,
  started_at timestamptz not null default clock_timestamp(),
  used bigint not null default 0,
  -- The limit when it was last used. Null: none.
  max bigint,
  -- Events that were refused in this window, and whether people were told.
  refused bigint not null default 0,
  told boolean not null default false
) with (fillfactor = 60);
create index spending_started on spending using brin (started_at);

-- Which gateway holds which connection.
create table account (
  account_id text collate "C" primary key,
  platform text not null,
  holder text collate "C",
  fence bigint not null default 0,
  lease_until timestamptz,
  connection jsonb not null default '{}',
  -- What the platform can do, as the adapter of the holder says. Empty until a gateway has taken the account.
  capabilities jsonb not null default '{}'
) with (fillfactor = 50);

-- Texts on their way out. The lane of a row is its account and conversation; lanes are ordered by id.
create table outbox (
  id bigint generated always as identity primary key,
  delivery_key text collate "C" not null unique,
  account_id text collate "C" not null,
  conversation_id text collate "C" not null,
  kind text not null,
  session_key text collate "C",
  turn_id text collate "C",
  body jsonb not null,
  parts jsonb,
  state text not null default 'pending',
  error text,
  created_at timestamptz not null default clock_timestamp(),
  next_at timestamptz not null default clock_timestamp(),
  settled_at timestamptz
) with (fillfactor = 70);
create index outbox_pending on outbox (account_id, id) where state = 'pending';
create index outbox_lane on outbox (account_id, conversation_id, id) where state = 'pending';
create index outbox_next on outbox (account_id, next_at) where state = 'pending';
create index outbox_failed on outbox (id) where state = 'failed';
create index outbox_turn on outbox (turn_id) where turn_id is not null;
create index outbox_conversation on outbox (account_id, conversation_id, created_at);
create index outbox_thread on outbox (account_id, conversation_id, (body -> 'conversation' ->> 'threadId'), created_at)
 where kind = 'reply' and body -> 'conversation' ->> 'threadId' is not null;
create index outbox_settled on outbox (settled_at) where settled_at is not null;

-- When a group was last told about a topic by an operational notice.
create table told (
  account_id text collate "C" not null,
  conversation_id text collate "C" not null,
  topic text collate "C" not null,
  told_at timestamptz not null,
  primary key (account_id, conversation_id, topic)
) with (fillfactor = 70);

create table preview (
  turn_id text collate "C" primary key,
  account_id text collate "C" not null,
  state text not null,
  message_id text,
  saved_at timestamptz not null default clock_timestamp()
) with (fillfactor = 70);

-- Platform messages of ours.
create table sent_message (
  message_id text collate "C" not null,
  conversation_id text collate "C" not null,
  account_id text collate "C" not null,
  outbox_id bigint,
  turn_id text collate "C",
  sent_at timestamptz not null default clock_timestamp(),
  primary key (message_id, conversation_id, account_id)
);
create index sent_message_sent on sent_message (sent_at);

-- Totals that outlive the rows they were counted from.
create table total (
  name text primary key,
  value bigint not null
);

create table adapter_state (
  account_id text collate "C" not null,
  name text collate "C" not null,
  value bytea not null,
  primary key (account_id, name)
);

create table pairing (
  id text collate "C" primary key,
  account_id text collate "C" not null,
  user_id text collate "C" not null,
  display_name text not null,
  state text not null,
  -- The event that brought the request.
  asked_by text collate "C" not null,
  code_hash bytea unique,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  unique (account_id, user_id)
);

-- What platforms told of messages of ours after those were sent. Beside `sent_message`, since it may be told before the
-- message's id is stored.
create table receipt (
  message_id text collate "C" not null,
  conversation_id text collate "C" not null,
  account_id text collate "C" not null,
  status text not null,
  reason text,
  told_at timestamptz not null default clock_timestamp(),
  primary key (message_id, conversation_id, account_id)
);
create index receipt_failed on receipt (told_at) where status = 'failed';
create index receipt_told on receipt (told_at);

-- What was said in groups and not to us, until the next message to us takes it along. `place` is a conversation or a
-- thread of one.
create table overheard (
  id bigint generated always as identity primary key,
  place text collate "C" not null,
  account_id text collate "C" not null,
  conversation_id text collate "C" not null,
  message_id text collate "C" not null,
  body jsonb not null,
  heard_at timestamptz not null default clock_timestamp(),
  unique (place, message_id)
);
create index overheard_heard on overheard using brin (heard_at);

-- Content of files that came in or go out: each content once, named by its hash, in chunks.
create table media (
  id bigint generated always as identity primary key,
  -- Null while it is being written.
  sha256 bytea unique,
  byte_length bigint not null default 0,
  -- What the bytes say, not what somebody claimed.
  mime_type text not null default 'application/octet-stream',
  created_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz not null default clock_timestamp()
) with (fillfactor = 70);
create index media_used on media (last_used_at);

create table media_chunk (
  media_id bigint not null references media on delete cascade,
  n integer not null,
  bytes bytea not null,
  primary key (media_id, n)
);
-- Pictures and sound are compressed already.
alter table media_chunk alter column bytes set storage external;

-- What came with an event. Pending until the gateway that holds the account has fetched it, or given up.
create table attachment (
  event_id text collate "C" not null,
  account_id text collate "C" not null,
  -- The place in its message, from 0.
  n integer not null,
  -- As the platform described it.
  body jsonb not null,
  state text not null default 'pending',
  sha256 bytea,
  -- Why it failed: half a sentence.
  problem text,
  -- What was said in it.
  transcript text,
  attempts integer not null default 0,
  next_at timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default clock_timestamp(),
  primary key (event_id, account_id, n)
) with (fillfactor = 70);
create index attachment_pending on attachment (account_id, next_at) where state = 'pending';
create index attachment_sha256 on attachment (sha256) where sha256 is not null;
create index attachment_ref on attachment (account_id, md5(body ->> 'ref')) where state = 'stored';
create index attachment_created on attachment (created_at);

-- Schemas with functions, one for each version of them, and when a process last used it.
create table function_set (
  name text collate "C" primary key,
  installed_at timestamptz not null default clock_timestamp(),
  last_used timestamptz not null default clock_timestamp()
);
