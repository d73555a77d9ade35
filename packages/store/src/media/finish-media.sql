-- Ends an upload. `stored`: it has its name now. `known`: the same content was there. `full`: it is gone, since nothing
-- could be removed for it: what was used within `unusedForMs`, or is in use, stays. Uploads end one after the other.
create function finish_media(call jsonb) returns json language plpgsql as $$
declare
  upload bigint := (call ->> 'uploadId')::bigint;
  hash bytea := decode(call ->> 'sha256', 'hex');
  quota bigint := (call ->> 'quotaBytes')::bigint;
  unused_since timestamptz := clock_timestamp() - (call ->> 'unusedForMs')::bigint * interval '1 millisecond';
  excess numeric;
begin
  perform pg_advisory_xact_lock(hashtextextended('talaria media', 0));
  update media set last_used_at = clock_timestamp() where sha256 = hash;
  if found then
    delete from media where id = upload;
    return json_build_object('outcome', 'known');
  end if;

  select sum(byte_length) - quota into excess from media;
  if excess > 0 then
    -- Uploads whose process has died.
    delete from media where sha256 is null and id <> upload and created_at < unused_since;
    select sum(byte_length) - quota into excess from media;
  end if;
  if excess > 0 then
    with removable as (
      select id, byte_length, sum(byte_length) over (order by last_used_at, id) as running
        from media
       where sha256 is not null and last_used_at < unused_since and sha256 not in (select media_in_use())
    )
    delete from media
     where id in (select id from removable where running - byte_length < excess)
       and (select coalesce(sum(byte_length), 0) from removable) >= excess;
    if not found then
      delete from media where id = upload;
      return json_build_object('outcome', 'full');
    end if;
  end if;

  update media
     set sha256 = hash, mime_type = call ->> 'mimeType', last_used_at = clock_timestamp()
   where id = upload;
  return json_build_object('outcome', case when found then 'stored' else 'full' end);
end $$;
