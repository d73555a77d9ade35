-- readable by: 2

-- What an operator has to mend, as long as it lasts, so that owners are told once by however many gateways, and not again after a restart.
create table problem (
  key text collate "C" primary key,
  since timestamptz not null,
  seen_at timestamptz not null,
  -- When owners were told last, and how often.
  told_at timestamptz,
  told integer not null default 0
) with (fillfactor = 50);

-- Groups that the configuration does not list: those in which somebody wrote in vain, and those that an operator has let in.
create table met_group (
  account_id text collate "C" not null,
  conversation_id text collate "C" not null,
  platform text not null,
  -- As the newest message said it: people choose it.
  title text,
  -- Messages that nobody answered since the group is not let in.
  messages integer not null default 0,
  first_at timestamptz not null default clock_timestamp(),
  last_at timestamptz not null default clock_timestamp(),
  allowed_at timestamptz,
  primary key (account_id, conversation_id)
) with (fillfactor = 70);
