-- readable by: 2

-- Who has written in a session, without reading what they wrote: a search asks it of 20,000 sessions.
create index inbox_writer on inbox (session_key, (body -> 'sender' ->> 'userId'), seq)
  where body -> 'sender' ->> 'assurance' <> 'claimed';
