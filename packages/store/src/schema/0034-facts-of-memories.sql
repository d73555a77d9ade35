-- readable by: 2

-- What a memory's prompt tells of what is kept beyond it: a part of its own, since it may be renewed. Null: none, or in `prompt`, as
-- earlier releases had it.
alter table memory add column facts text;

-- All that somebody has taught.
create index fact_author on fact (author);
