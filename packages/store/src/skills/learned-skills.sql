-- What the agent has written. Who sees a version is decided here: it was written in that place, or an owner has accepted its digest.

create function is_accepted(of_digest bytea) returns boolean language sql stable as $$
  select exists (select from accepted_skill where accepted_skill.digest = of_digest and suspended_at is null)
$$;

-- Of each name the version that counts in a place; null: where nothing was written.
create function learned_in(of_place text) returns table (name text, version integer, digest bytea) language sql stable as $$
  select distinct on (name) name, version, digest
    from learned_skill
   where withdrawn_at is null and archived_at is null and (place = of_place or is_accepted(digest))
   order by name, version desc
$$;

-- Without its files.
create function learned_json(of_name text, of_version integer) returns json language sql stable as $$
  select json_strip_nulls(json_build_object(
           'name', one.name, 'version', one.version, 'digest', encode(one.digest, 'hex'), 'description', one.description,
           'place', one.place, 'sessionKey', one.session_key, 'author', one.author, 'eventId', one.event_id, 'derived', one.derived,
           'writtenAt', one.written_at, 'isWithdrawn', one.withdrawn_at is not null, 'isArchived', one.archived_at is not null,
           'isSetAside', exists (select from skill_standing where skill_standing.digest = one.digest and set_aside_at is not null),
           'acceptedAt', accepted.accepted_at, 'acceptedBy', accepted.accepted_by))
    from learned_skill as one left join accepted_skill as accepted on accepted.digest = one.digest and suspended_at is null
   where one.name = of_name and one.version = of_version
$$;

-- {place}: {skills}, what counts there.
create function learned_skills_in(call jsonb) returns json language sql stable as $$
  select json_build_object('skills', coalesce(json_agg(learned_json(name, version) order by name), '[]'))
    from learned_in(call ->> 'place')
$$;

-- {name, place} or {name, version}: its files, of the version that counts there; null: there is none.
create function learned_skill_files(call jsonb) returns json language sql stable as $$
  select json_build_object('files', files, 'version', version)
    from (select files, version from learned_in(call ->> 'place') join learned_skill using (name, version)
           where not call ? 'version' and name = call ->> 'name'
          union all
          select files, version from learned_skill
           where name = call ->> 'name' and version = (call ->> 'version')::integer) as found
   limit 1
$$;

-- {most}: {skills}, every version, for the operator.
create function list_learned_skills(call jsonb) returns json language sql stable as $$
  select json_build_object('skills', coalesce(json_agg(learned_json(name, version) order by name, version desc), '[]'))
    from (select name, version from learned_skill order by name, version desc limit (call ->> 'most')::integer) as found
$$;

-- {turnId, callKey, name, digest, description, files, place, author, eventId, derived, mostVersions, mostNames, mostOfPlace}: {version, isNew};
-- {taken}: another place has it, and nobody accepted it; {full}: there are as many as may be; {ended}: the turn may do nothing any more.
create function write_learned_skill(call jsonb) returns json language plpgsql as $$
declare
  held session := held_session(call);
  of_name text := call ->> 'name';
  here text := call ->> 'place';
  known record;
  next_version integer;
begin
  if held.open_turn is distinct from call ->> 'turnId' then return json_build_object('conflict', true); end if;
  if cancellation(held, held.open_first_seq) is not null then return json_build_object('ended', true); end if;
  perform pg_advisory_xact_lock(hashtextextended('talaria skills', 0));
  select * into known from learned_skill where call_key = call ->> 'callKey';
  if found then return json_build_object('version', known.version, 'isNew', true); end if;
  select max(version) + 1 into next_version from learned_skill where name = of_name;
  if next_version is null then
    if not has_room_for_skill(here, (call ->> 'mostNames')::integer, (call ->> 'mostOfPlace')::integer) then
      return json_build_object('full', true);
    end if;
  elsif not exists (select from learned_skill where name = of_name and (place = here or is_accepted(digest))) then
    return json_build_object('taken', true);
  end if;
  select * into known from learned_in(here) where name = of_name;
  if known.digest = decode(call ->> 'digest', 'hex') then
    return json_build_object('version', known.version, 'isNew', false);
  end if;
  insert into learned_skill (name, version, digest, description, files, place, session_key, author, event_id, derived, call_key)
  values (of_name, coalesce(next_version, 1), decode(call ->> 'digest', 'hex'), call ->> 'description', call -> 'files', here,
          call ->> 'sessionKey', call ->> 'author', call ->> 'eventId', call -> 'derived', call ->> 'callKey');
  update learned_skill set archived_at = null where name = of_name and archived_at is not null;
  -- What counts for everybody stays, however many are written after it.
  delete from learned_skill as old
   where name = of_name
     and version not in (select version from learned_skill where name = of_name order by version desc limit (call ->> 'mostVersions')::integer)
     and version is distinct from (select version from learned_in(null) where name = of_name);
  return json_build_object('version', coalesce(next_version, 1), 'isNew', true);
end $$;

-- The name that has been archived the longest makes room.
create function has_room_for_skill(of_place text, most_names integer, most_of_place integer) returns boolean language plpgsql as $$
begin
  if (select count(distinct name) from learned_skill where place = of_place and archived_at is null) >= most_of_place then
    return false;
  end if;
  if (select count(distinct name) from learned_skill) < most_names then return true; end if;
  delete from learned_skill
   where name = (select name from learned_skill where archived_at is not null order by archived_at, name limit 1);
  return found;
end $$;

-- {name, version}: that version counts again, and none after it; without a version the one before the newest that counts. Null: there is none.
create function roll_back_skill(call jsonb) returns json language plpgsql as $$
declare
  of_name text := call ->> 'name';
  newest integer;
  target integer := (call ->> 'version')::integer;
begin
  perform pg_advisory_xact_lock(hashtextextended('talaria skills', 0));
  select max(version) into newest from learned_skill where name = of_name and withdrawn_at is null;
  if target is null then select max(version) into target from learned_skill where name = of_name and version < newest; end if;
  if not exists (select from learned_skill where name = of_name and version = target) then return null; end if;
  update learned_skill
     set withdrawn_at = case when version > target then coalesce(withdrawn_at, clock_timestamp()) end
   where name = of_name and version >= target;
  -- The same bytes, written again, are not what somebody has taken back and yet accepted.
  update accepted_skill as accepted
     set suspended_at = case when not exists (
           select from learned_skill where name = of_name and digest = accepted.digest and withdrawn_at is null) then clock_timestamp() end
   where name = of_name and exists (select from learned_skill where name = of_name and digest = accepted.digest);
  return json_build_object(
    'from', newest,
    'skill', learned_json(of_name, target));
end $$;

-- {name, place, author}: forgets all of it, with what was accepted under the name; with a place and an author only what that person alone has
-- taught there, of which nothing is accepted. False: there is none such.
create function forget_skill(effect jsonb) returns boolean language plpgsql as $$
declare
  of_name text := effect ->> 'name';
  gone integer;
begin
  perform pg_advisory_xact_lock(hashtextextended('talaria skills', 0));
  if effect ? 'author' and exists (
       select from learned_skill
        where name = of_name and (place <> effect ->> 'place' or author <> effect ->> 'author' or is_accepted(digest))) then
    return false;
  end if;
  delete from learned_skill where name = of_name;
  get diagnostics gone = row_count;
  if not effect ? 'author' and (gone > 0 or coalesce((effect ->> 'isInstalled')::boolean, false)) then
    delete from accepted_skill where name = of_name;
    if found then gone := gone + 1; end if;
  end if;
  return gone > 0;
end $$;
