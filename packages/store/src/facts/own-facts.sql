-- What people decide about what is kept of them. Each of these is the effect of a command.

-- {subjects, ids, by}: forgets them, with all that they have replaced; without `ids` everything, the archive too. `by`: only what that
-- person has taught. False: there was nothing.
create function forget_facts(effect jsonb) returns boolean language plpgsql as $$
declare
  subject jsonb;
  gone integer;
begin
  for subject in
    select one from jsonb_array_elements(effect -> 'subjects') as one order by one ->> 'scope', (one ->> 'key') collate "C"
  loop
    perform locked_subject(subject);
    update fact_subject set version = version + 1, settled_at = clock_timestamp() where scope = subject ->> 'scope' and key = subject ->> 'key';
  end loop;
  with recursive meant (id) as (
    select fact.id
      from fact join jsonb_to_recordset(effect -> 'subjects') as asked (scope text, key text)
           on fact.scope = asked.scope and fact.key = asked.key
     where (not effect ? 'ids' or fact.id = any (ids_of(effect))) and (not effect ? 'by' or fact.author = effect ->> 'by')
    union
    select former.id from fact as former join meant on former.replaced_by = meant.id)
  delete from fact where id in (select id from meant);
  get diagnostics gone = row_count;
  return gone > 0;
end $$;

-- {scope, key, id, by, text, author, eventId, asker, mostChars, mostArchived}: puts a person's words in the place of a fact. `by`: only of one
-- that this person has taught. False: it is not there any more, or there is no room.
create function correct_fact(effect jsonb) returns boolean language plpgsql as $$
declare
  former fact;
  used bigint;
begin
  perform locked_subject(effect);
  select * into former from fact
   where id = (effect ->> 'id')::bigint and scope = effect ->> 'scope' and key = effect ->> 'key' and archived_at is null
     and (not effect ? 'by' or author = effect ->> 'by');
  if former.id is null then return false; end if;
  select coalesce(sum(char_length(text) + 1), 0) into used from fact
   where scope = former.scope and key = former.key and archived_at is null and id <> former.id;
  if used + char_length(effect ->> 'text') > greatest((effect ->> 'mostChars')::bigint, used + char_length(former.text)) then
    return false;
  end if;
  perform write_facts(effect || jsonb_build_object(
    'add', jsonb_strip_nulls(jsonb_build_object(
      'text', effect -> 'text', 'trust', 'said', 'about', former.about, 'version', former.version + 1,
      'derived', jsonb_strip_nulls(jsonb_build_object(
        'taint', '[]'::jsonb, 'askers', jsonb_build_array(effect -> 'asker'), 'audience', to_jsonb(former.audience))))),
    'archive', jsonb_build_array(jsonb_build_object('id', former.id, 'why', 'replaced')), 'confirm', '[]'::jsonb));
  update fact_subject set settled_at = clock_timestamp() where scope = former.scope and key = former.key;
  return true;
end $$;

-- {scope, key, words, after, most}: {facts}, for the operator.
create function list_facts(call jsonb) returns json language sql stable as $$
  select json_build_object('facts', coalesce(json_agg(fact_json(found.one) order by found.id desc), '[]'))
    from (select id, to_jsonb(fact) as one from fact
           where archived_at is null and (not call ? 'scope' or scope = call ->> 'scope') and (not call ? 'key' or key = call ->> 'key')
             and not exists (select from jsonb_array_elements_text(call -> 'words') as word
                              where position(lower(word) in lower(fact.text)) = 0)
           order by id desc limit (call ->> 'most')::integer) as found
$$;

-- {id}: removes it for the operator, with all that it has replaced. Null: there is none.
create function remove_fact(call jsonb) returns json language plpgsql as $$
declare
  found fact;
begin
  select * into found from fact where id = (call ->> 'id')::bigint;
  if found.id is null then return null; end if;
  perform forget_facts(jsonb_build_object(
    'subjects', jsonb_build_array(jsonb_build_object('scope', found.scope, 'key', found.key)), 'ids', jsonb_build_array(found.id)));
  return fact_json(to_jsonb(found));
end $$;
