-- readable by: 2

-- Where the files of a token made before this version lie. Null: in a place of its own, so that a token made anew under a name has
-- nothing of the one before.
alter table mcp_token add column workspace text;
update mcp_token set workspace = 'mcp-http/' || name;
