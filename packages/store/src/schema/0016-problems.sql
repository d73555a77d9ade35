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
