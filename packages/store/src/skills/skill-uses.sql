-- How skills do, and what follows from it.

-- {turnId, name, digest, sessionKey, users}: the turn has read it. Once for each turn.
create function use_skill(call jsonb) returns json language plpgsql as $$
begin
  insert into skill_use (turn_id, name, digest, session_key, users)
  values (call ->> 'turnId', call ->> 'name', decode(call ->> 'digest', 'hex'), call ->> 'sessionKey', texts_of(call -> 'users'))
  on conflict do nothing;
  if not found then return '{}'; end if;
  insert into skill_standing as known (digest, name, uses, last_used_at)
  values (decode(call ->> 'digest', 'hex'), call ->> 'name', 1, clock_timestamp())
  on conflict (digest) do update set uses = known.uses + 1, last_used_at = excluded.last_used_at;
  return '{}';
end $$;

-- Sets it aside where its last two uses that tell something have failed, since somebody has brought it back.
create function judge_skill(of_digest bytea) returns void language sql as $$
  update skill_standing as known
     set set_aside_at = clock_timestamp(), told_at = null
   where known.digest = of_digest and set_aside_at is null
     and (select count(*) = 2 and bool_and(outcome = 'failed')
            from (select outcome from skill_use
                   where skill_use.name = known.name and skill_use.digest = of_digest and outcome in ('fine', 'failed')
                     and used_at > coalesce(known.restored_at, '-infinity')
                   order by used_at desc limit 2) as last)
$$;

-- {name, user, sessionKey}: its last use has failed, says a person; of this user alone, or without one of anybody, here before elsewhere.
-- False: there was none that had not failed yet.
create function skill_failed(effect jsonb) returns boolean language plpgsql as $$
declare
  last skill_use;
begin
  select * into last
    from skill_use
   where name = effect ->> 'name' and (not effect ? 'user' or users @> array[effect ->> 'user'])
   order by session_key = effect ->> 'sessionKey' desc, used_at desc
   limit 1
     for update;
  if last.turn_id is null or last.outcome is not distinct from 'failed' then return false; end if;
  update skill_use set outcome = 'failed' where turn_id = last.turn_id and name = last.name;
  perform judge_skill(last.digest);
  return true;
end $$;

-- {name}: brings back what was set aside or archived. False: there was nothing of it.
create function restore_skill(call jsonb) returns boolean language plpgsql as $$
declare
  was_away boolean;
begin
  perform pg_advisory_xact_lock(hashtextextended('talaria skills', 0));
  was_away := exists (select from learned_skill where name = call ->> 'name' and archived_at is not null)
           or exists (select from skill_standing where name = call ->> 'name' and set_aside_at is not null);
  update learned_skill set archived_at = null where name = call ->> 'name' and archived_at is not null;
  insert into skill_standing (digest, name, restored_at)
  select distinct on (digest) digest, name, clock_timestamp() from learned_skill where name = call ->> 'name'
  on conflict (digest) do nothing;
  update skill_standing set set_aside_at = null, told_at = null, restored_at = clock_timestamp() where name = call ->> 'name';
  return was_away;
end $$;

-- How a turn ended, for the skills that it has read. `spared`: reasons that have nothing to do with them.
create function use_outcome(ended turn, spared jsonb) returns text language sql immutable as $$
  select case
    when ended.state = 'completed' then 'fine'
    when ended.state = 'failed' and not spared ? coalesce(ended.reason, '') or ended.state = 'aborted' and ended.reason = 'timeout' then 'failed'
    else 'unknown' end
$$;

-- {most, spared, archiveDays, news: {learnt, setAside, archived}}: looks at the turns that are over, sets aside and archives, and tells owners at
-- home. Each of `news` is {markdown, inLanguages?}, with `{name}` and `{version}`. Returns {accounts, setAside, archived}.
create function tend_skills(call jsonb) returns json language plpgsql as $$
declare
  one record;
  told text[] := '{}';
  aside text[] := '{}';
  archived text[] := '{}';
begin
  if not pg_try_advisory_xact_lock(hashtextextended('talaria skills tended', 0)) then
    return json_build_object('accounts', told, 'setAside', aside, 'archived', archived);
  end if;
  for one in
    with page as materialized (
      select used.turn_id, used.name, use_outcome(turn, call -> 'spared') as outcome
        from skill_use as used left join turn using (turn_id)
       where used.outcome is null and (turn.turn_id is null or turn.state <> 'running')
       order by used.used_at
       limit (call ->> 'most')::integer
    ), over as (
      update skill_use set outcome = page.outcome from page
       where skill_use.turn_id = page.turn_id and skill_use.name = page.name and skill_use.outcome is null
      returning skill_use.digest, skill_use.outcome
    )
    select distinct digest from over where outcome = 'failed'
  loop
    perform judge_skill(one.digest);
  end loop;

  for one in
    update skill_standing set told_at = clock_timestamp()
     where set_aside_at is not null and told_at is null
    returning name, encode(digest, 'hex') as digest, extract(epoch from set_aside_at) as at
  loop
    aside := aside || one.name;
    told := told || tell_of_skill('aside', one.name, one.at::text, '', call -> 'news' -> 'setAside');
  end loop;

  perform pg_advisory_xact_lock(hashtextextended('talaria skills', 0));
  for one in
    select learned.name, max(version) as version
      from learned_skill as learned
           left join accepted_skill using (digest)
           left join skill_standing as known using (digest)
     where archived_at is null
     group by learned.name
    having greatest(max(written_at), max(accepted_at), max(last_used_at), max(restored_at))
             < clock_timestamp() - (call ->> 'archiveDays')::integer * interval '1 day'
  loop
    update learned_skill set archived_at = clock_timestamp() where name = one.name;
    archived := archived || one.name;
    told := told || tell_of_skill('archived', one.name, extract(epoch from clock_timestamp())::text, '', call -> 'news' -> 'archived');
  end loop;

  -- Of one name once a day: the newest version that waits.
  for one in
    select distinct on (name) name, version
      from learned_skill as learned
     where told_at is null and withdrawn_at is null and archived_at is null and not is_accepted(digest)
       and not exists (select from learned_skill as other
                        where other.name = learned.name and other.told_at > clock_timestamp() - interval '1 day')
     order by name, version desc
  loop
    update learned_skill set told_at = clock_timestamp() where name = one.name and version <= one.version;
    told := told || tell_of_skill('learnt', one.name, one.version::text, one.version::text, call -> 'news' -> 'learnt');
  end loop;
  return json_build_object('accounts', array(select distinct unnest(told)), 'setAside', aside, 'archived', archived);
end $$;

-- No name of a skill has a character that JSON writes otherwise.
create function tell_of_skill(what text, name text, once text, version text, news jsonb) returns text[] language sql as $$
  select tell_homes(null, concat_ws(':', 'skill', what, name, once),
                    replace(replace(news::text, '{name}', name), '{version}', version)::jsonb, null)
$$;
