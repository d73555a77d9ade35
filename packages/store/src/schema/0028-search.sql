-- readable by: 2

-- What a search of past conversations counts of a line: its words in their order, their stems, and the place where it was said. Null: it
-- was not read yet, as everything that was there before, and what earlier releases write.
alter table chat_line
  add column terms text[] collate "C",
  -- In words.
  add column length integer;
create index chat_line_terms on chat_line using gin (terms) where terms is not null;
create index chat_line_unread on chat_line (at) where terms is null;
