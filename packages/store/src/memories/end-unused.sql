-- Conversations that nobody goes on with end as by `/new`.

-- {idleMs, dailyAt, timeZone, pass, most}: those in which nothing was said since the last `dailyAt` by the clock of `timeZone`, or for `idleMs`,
-- whichever is later. Looks at `most` turns further than the last time, in the order in which they ended: {looked, ended}. One of several
-- callers does it for all. Whoever is busy, or has a question open, goes on, and is looked at again after its next turn.
create function end_unused(call jsonb) returns json language plpgsql as $$
declare
  before timestamptz := greatest(clock_timestamp() - (call ->> 'idleMs')::bigint * interval '1 millisecond',
                                 last_time_of((call ->> 'dailyAt')::time, call ->> 'timeZone'));
  since bigint;
  through bigint;
  keys text[];
  looked integer;
  target session;
  ended integer := 0;
begin
  -- What was left long before somebody wanted this stays.
  insert into total values ('unused_until', microseconds_of(before - interval '1 day')) on conflict do nothing;
  select value into since from total where name = 'unused_until' for update skip locked;
  if since is null then return json_build_object('looked', 0, 'ended', 0); end if;
  select array_agg(distinct session_key), count(*), microseconds_of(max(ended_at)) into keys, looked, through
    from (select session_key, ended_at from turn
           where ended_at > timestamptz 'epoch' + since * interval '1 microsecond' and ended_at <= before
           order by ended_at
           fetch first ((call ->> 'most')::integer) rows with ties) as next;
  for target in
    select * from session where session_key = any (keys) order by session_key collate "C" for update skip locked
  loop
    if is_unused(target, before) and reset_session(target, (call ->> 'pass')::boolean) then ended := ended + 1; end if;
  end loop;
  if through is not null then update total set value = through where name = 'unused_until'; end if;
  return json_build_object('looked', looked, 'ended', ended);
end $$;

-- Conversations of the console are begun and left by hand, and a webhook's have no end.
create function is_unused(target session, before timestamptz) returns boolean language plpgsql stable as $$
begin
  if target.conversation ->> 'platform' in ('web', 'webhook') or is_busy(target) then return false; end if;
  if exists (select from open_call where session_key = target.session_key and settled_at is null) then return false; end if;
  return (select created_at <= before from newest_entry(target.session_key, target.generation, 9223372036854775807));
end $$;

-- Null without a time of day.
create function last_time_of(day_time time, zone text) returns timestamptz language plpgsql stable as $$
declare
  today date := (clock_timestamp() at time zone zone)::date;
  at timestamptz := (today + day_time) at time zone zone;
begin
  return case when at <= clock_timestamp() then at else (today - 1 + day_time) at time zone zone end;
end $$;

create function microseconds_of(at timestamptz) returns bigint language sql immutable as $$
  select (extract(epoch from at) * 1000000)::bigint
$$;
