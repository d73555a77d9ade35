-- readable by: 2

-- Of a group about which owners were asked: the number in its buttons, when they were asked, and what one of them decided. Rows of earlier
-- releases have none of it.
alter table met_group
  add column id text collate "C",
  add column asked_at timestamptz,
  add column decision text,
  add column decided_by jsonb;
create unique index met_group_id on met_group (id);

-- The direct conversation on each account in which an owner wrote last. `is_off`: they want nothing there (`/sethome off`).
create table owner_place (
  account_id text collate "C" not null,
  user_id text collate "C" not null,
  conversation jsonb not null,
  wrote_at timestamptz not null default clock_timestamp(),
  is_off boolean not null default false,
  primary key (account_id, user_id)
) with (fillfactor = 70);
