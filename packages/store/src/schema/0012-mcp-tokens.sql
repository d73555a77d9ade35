-- readable by: 2

-- Programs that use our tools over HTTP. Of a token only its SHA-256 is kept; `heard` names the tools that have brought them
-- untrusted content, as long as the token lives.
create table mcp_token (
  name text collate "C" primary key,
  digest bytea not null unique,
  role text not null check (role in ('owner', 'member', 'guest')),
  heard text[] not null default '{}',
  made_at timestamptz not null default now(),
  used_at timestamptz
);
