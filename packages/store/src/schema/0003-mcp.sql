-- readable by: 2

-- Tools of MCP servers as this memory's prompt was first shown them: a text, since their bytes must not change. Null: none yet.
alter table memory add column tools text;

-- What logins to MCP servers gave, for each issuer of tokens; the issuer '' stands for a login that is under way. Encrypted with
-- the key of logins.
create table mcp_login (
  server text collate "C" not null,
  issuer text collate "C" not null,
  value bytea not null,
  primary key (server, issuer)
);
