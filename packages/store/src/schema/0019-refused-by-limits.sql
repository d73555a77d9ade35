-- readable by: 2

-- The counter whose limit has refused this event, while it may still be taken up: see `take_up_refused`.
alter table inbox add column refused_by text collate "C";
create index inbox_refused on inbox (refused_by, recorded_at) where refused_by is not null;
create index inbox_refused_in on inbox (session_key) where refused_by is not null;
