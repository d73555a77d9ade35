-- Content that something unfinished names: an event that waits or whose turn runs, a text on its way out.
create function media_in_use() returns setof bytea language sql stable as $$
  select attachment.sha256
    from inbox
         join attachment using (event_id, account_id)
         left join turn using (turn_id)
   where inbox.reason is null and (inbox.turn_id is null or turn.state = 'running') and attachment.sha256 is not null
  union
  select decode(substr(file ->> 'ref', 8), 'hex')
    from outbox, jsonb_array_elements(body -> 'attachments') as file
   where outbox.state = 'pending' and file ->> 'ref' ~ '^sha256:[0-9a-f]{64}$'
$$;
