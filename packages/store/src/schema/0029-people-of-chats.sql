-- readable by: 2

-- A file of its own: whoever lists conversations has both tables, in any order.

-- Of a direct conversation: the one person who writes there. Null: nobody has been read yet. '': there are several.
alter table chat add column person_id text collate "C";
create index chat_person on chat (account_id, person_id, last_at) where person_id > '';

-- Of the lines that searches know: how many they are, and their words. What was deleted since still counts.
alter table chat
  add column read_lines bigint not null default 0,
  add column read_words bigint not null default 0;
