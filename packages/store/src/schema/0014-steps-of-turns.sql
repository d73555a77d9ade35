-- readable by: 2

-- The console shows what a turn did, and how many of its calls have failed, without reading its memory or any result.
create index entry_step on entry (turn_id, kind, (body ->> 'isError')) where kind in ('tool.started', 'tool.result');
