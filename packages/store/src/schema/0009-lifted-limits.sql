-- readable by: 2

-- Until when an owner has lifted this limit, and who that was, as `<account>/<id>`.
alter table spending add column lifted_until timestamptz, add column lifted_by text;

-- People name a limit by the beginning of its digest.
create index spending_named on spending (left(md5(key), 12));
