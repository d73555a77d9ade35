-- readable by: 2

-- When owners were told of each kind of the trouble, by its code. Empty: `told_at` counts for every kind, as in rows of earlier releases.
alter table problem add column told_codes jsonb not null default '{}';
