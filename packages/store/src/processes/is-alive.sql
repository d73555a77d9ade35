create function is_alive(process_id text) returns boolean language plpgsql stable as $$
begin
  return exists (select from process where id = process_id and lease_until > clock_timestamp());
end $$;
