-- What the account's platform can do, as the adapter of its holder says. Empty until a gateway has taken the account.
alter table account add column capabilities jsonb not null default '{}';
