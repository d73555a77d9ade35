-- readable by: 2

-- What answers of models have used: one row each, written with the entry that accounts for it. It outlives the turn and the
-- session.
create table usage (
  session_key text collate "C" not null,
  turn_id text collate "C" not null,
  id bigint generated always as identity,
  at timestamptz not null default clock_timestamp(),
  account_id text collate "C" not null,
  conversation_id text collate "C" not null,
  -- Everyone whose words had entered the turn, as `<account>/<id>`. Empty: a system event alone.
  people text[] not null,
  -- Its name in the configuration, its provider, and the provider's name for what really answered.
  model text,
  provider text,
  served_by text,
  input_tokens bigint not null,
  -- Parts of the input: what came from the provider's cache, and what went into it.
  cached_tokens bigint not null,
  cache_write_tokens bigint not null,
  output_tokens bigint not null,
  -- Part of the output.
  reasoning_tokens bigint not null,
  -- In millionths of the operator's currency, at the price of then. Null: the price is unknown.
  cost bigint,
  primary key (session_key, turn_id, id)
);
create index usage_at on usage (at);
create index usage_people on usage using gin (people);
