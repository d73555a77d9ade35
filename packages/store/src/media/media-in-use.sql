-- Content that something unfinished names: an event that waits or whose turn runs, a text on its way out. Begins at what is
-- unfinished, which is little; the tables behind it hold everything that was ever said.
create function media_in_use() returns setof bytea language sql stable as $$
  select attachment.sha256
    from (select event_id, account_id from inbox where turn_id is null and reason is null
          union all
          select taken.event_id, taken.account_id
            from turn cross join lateral (
              select event_id, account_id from inbox
               where inbox.session_key = turn.session_key and seq between turn.first_seq and turn.last_seq
                 and inbox.turn_id = turn.turn_id
              offset 0) as taken
           where turn.state = 'running') as unfinished
         cross join lateral (
           select sha256 from attachment
            where attachment.event_id = unfinished.event_id and attachment.account_id = unfinished.account_id
              and sha256 is not null
           offset 0) as attachment
  union
  select decode(substr(file ->> 'ref', 8), 'hex')
    from outbox, jsonb_array_elements(body -> 'attachments') as file
   where outbox.state = 'pending' and file ->> 'ref' ~ '^sha256:[0-9a-f]{64}$'
$$;
