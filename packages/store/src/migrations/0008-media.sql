-- Content of files that came in or go out: each content once, named by its hash, in chunks.
create table media (
  id bigint generated always as identity primary key,
  -- Null while it is being written.
  sha256 bytea unique,
  byte_length bigint not null default 0,
  -- What the bytes say, not what somebody claimed.
  mime_type text not null default 'application/octet-stream',
  created_at timestamptz not null default clock_timestamp(),
  last_used_at timestamptz not null default clock_timestamp()
) with (fillfactor = 70);
create index media_used on media (last_used_at);

create table media_chunk (
  media_id bigint not null references media on delete cascade,
  n integer not null,
  bytes bytea not null,
  primary key (media_id, n)
);
-- Pictures and sound are compressed already.
alter table media_chunk alter column bytes set storage external;

-- What came with an event. Pending until the gateway that holds the account has fetched it, or given up.
create table attachment (
  event_id text collate "C" not null,
  account_id text collate "C" not null,
  -- The place in its message, from 0.
  n integer not null,
  -- As the platform described it.
  body jsonb not null,
  state text not null default 'pending',
  sha256 bytea,
  -- Why it failed: half a sentence.
  problem text,
  -- What was said in it.
  transcript text,
  attempts integer not null default 0,
  next_at timestamptz not null default clock_timestamp(),
  created_at timestamptz not null default clock_timestamp(),
  primary key (event_id, account_id, n)
) with (fillfactor = 70);
create index attachment_pending on attachment (account_id, next_at) where state = 'pending';
create index attachment_sha256 on attachment (sha256) where sha256 is not null;
create index attachment_ref on attachment (account_id, md5(body ->> 'ref')) where state = 'stored';
create index attachment_created on attachment using brin (created_at);

-- Notes what came with events that were just recorded, in their transaction. Events that a retry recorded again have
-- nothing to wait for: they take over what was fetched for the first ones.
create function note_attachments() returns trigger language plpgsql as $$
begin
  insert into attachment (event_id, account_id, n, body, state, sha256, transcript)
  select fresh.event_id, fresh.account_id, (given.n - 1)::integer, given.body,
         case when earlier.sha256 is null then 'pending' else 'stored' end, earlier.sha256, earlier.transcript
    from fresh
         cross join lateral jsonb_array_elements(fresh.body -> 'message' -> 'attachments') with ordinality as given (body, n)
         left join lateral (
           select known.sha256, known.transcript
             from attachment as known
            where fresh.again and known.account_id = fresh.account_id and known.state = 'stored'
              and md5(known.body ->> 'ref') = md5(given.body ->> 'ref') and known.body ->> 'ref' = given.body ->> 'ref'
            order by known.created_at desc
            limit 1) as earlier on true
  on conflict do nothing;
  return null;
end $$;

create trigger note_attachments after insert on inbox
  referencing new table as fresh for each statement execute function note_attachments();

-- Content that something unfinished names: an event that waits or whose turn runs, a text on its way out.
create function media_in_use() returns setof bytea language sql stable as $$
  select attachment.sha256
    from inbox
         join attachment using (event_id, account_id)
         left join turn using (turn_id)
   where inbox.reason is null and (inbox.turn_id is null or turn.state = 'running') and attachment.sha256 is not null
  union
  select decode(substr(file ->> 'ref', 8), 'hex')
    from outbox, jsonb_array_elements(draft -> 'attachments') as file
   where outbox.state = 'pending' and file ->> 'ref' ~ '^sha256:[0-9a-f]{64}$'
$$;

-- Ends an upload. `stored`: it has its name now. `known`: the same content was there. `full`: it is gone, since nothing
-- could be removed for it. What was used within the last hour stays. Uploads end one after the other.
create function finish_media(upload bigint, hash bytea, type text, quota bigint) returns text language plpgsql as $$
declare
  excess numeric;
begin
  perform pg_advisory_xact_lock(hashtextextended('talaria media', 0));
  update media set last_used_at = clock_timestamp() where sha256 = hash;
  if found then
    delete from media where id = upload;
    return 'known';
  end if;

  select sum(byte_length) - quota into excess from media;
  if excess > 0 then
    delete from media where sha256 is null and id <> upload and created_at < clock_timestamp() - interval '1 hour';
    select sum(byte_length) - quota into excess from media;
  end if;
  if excess > 0 then
    with removable as (
      select id, byte_length, sum(byte_length) over (order by last_used_at, id) as running
        from media
       where sha256 is not null and last_used_at < clock_timestamp() - interval '1 hour'
         and sha256 not in (select media_in_use())
    )
    delete from media
     where id in (select id from removable where running - byte_length < excess)
       and (select coalesce(sum(byte_length), 0) from removable) >= excess;
    if not found then
      delete from media where id = upload;
      return 'full';
    end if;
  end if;

  update media set sha256 = hash, mime_type = type, last_used_at = clock_timestamp() where id = upload;
  if not found then return 'full'; end if;
  return 'stored';
end $$;
