-- readable by: 2

-- Of a call that was ended while it went on beside its turn: the newest entries of the turns that were told so at their beginning.
alter table open_call add column told_in bigint[];
create index open_call_ended on open_call (session_key) where settlement = 'cancelled' and waits_for = 'process';
