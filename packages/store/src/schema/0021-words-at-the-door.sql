-- readable by: 2

-- Of somebody who waits: `said_later` are further calls of `record_events`, behind the one in `said`. `unkept`: something came that could not be
-- kept, `files` alone or `words` as well. Of a row that waited while an account had no place for more: so many messages of others were left out,
-- and when owners were told so.
alter table pairing
  add column said_later jsonb,
  add column unkept text,
  add column left_out integer not null default 0,
  add column left_out_told_at timestamptz;
