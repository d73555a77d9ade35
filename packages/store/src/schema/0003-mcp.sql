-- readable by: 2

-- Tools of MCP servers as this memory's prompt was first shown them: a text, since their bytes must not change. Null: none yet.
alter table memory add column tools text;
