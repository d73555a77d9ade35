import { createHash } from "node:crypto";
import { brandAs, GatewayError, instantOf } from "@talaria/protocol";
import type { Database } from "../database/database.ts";
import type { McpToken, McpTokenStore } from "../ports/mcp-tokens.ts";

const mostTokens = 100;
/** Of the tools that one caller has heard from. */
const mostHeard = 1_000;

interface Row {
  readonly name: string;
  readonly role: McpToken["role"];
  readonly heard: string[];
  readonly workspace: string;
  readonly made_at: Date;
  readonly used_at: Date | null;
}

/** The SHA-256 of a token, in hexadecimal digits. Tokens are random, so that nothing slower is needed. */
export function tokenDigest(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** No name has a `/`. */
const place = "coalesce(workspace, 'mcp-http/' || name || '/' || left(encode(digest, 'hex'), 16)) as workspace";
const columns = `name, role, heard, ${place}, made_at, used_at`;

export function createMcpTokenStore(database: Database): McpTokenStore {
  return {
    async make(name, role, digest) {
      const made = await database.query({
        text: `insert into mcp_token (name, role, digest)
               select $1, $2, decode($3, 'hex') where (select count(*) from mcp_token) < $4
               on conflict do nothing returning name`,
        values: [name, role, digest, mostTokens],
      });
      if (made.length > 0) return;
      const taken = await database.query({ text: "select from mcp_token where name = $1", values: [name] });
      throw new GatewayError(
        taken.length > 0
          ? `there is a token called ${name}: choose another name, or revoke it first`
          : `there are ${mostTokens} tokens already: revoke some first`,
        { code: "invalid_request" },
      );
    },

    async find(digest) {
      const text = `select ${columns} from mcp_token where digest = decode($1, 'hex')`;
      const [row] = await database.query<Row>({ text, values: [digest] });
      return row && toToken(row);
    },

    async living(digests) {
      const rows = await database.query<{ digest: string }>({
        text: `select encode(digest, 'hex') as digest from mcp_token
                where digest in (select decode(given, 'hex') from unnest($1::text[]) given)`,
        values: [digests],
      });
      return rows.map(({ digest }) => digest);
    },

    async used(digest) {
      await database.query({
        text: `update mcp_token set used_at = now()
                where digest = decode($1, 'hex') and (used_at is null or used_at < now() - interval '1 minute')`,
        values: [digest],
      });
    },

    async heard(digest, tool) {
      await database.query({
        text: `update mcp_token set heard = heard || $2::text
                where digest = decode($1, 'hex') and not $2 = any (heard) and cardinality(heard) < $3`,
        values: [digest, tool, mostHeard],
      });
    },

    async list() {
      const text = `select ${columns} from mcp_token order by name limit ${mostTokens}`;
      return (await database.query<Row>({ text })).map(toToken);
    },

    async revoke(name) {
      const text = "delete from mcp_token where name = $1 returning name";
      return (await database.query({ text, values: [name] })).length > 0;
    },
  };
}

function toToken({ name, role, heard, workspace, made_at, used_at }: Row): McpToken {
  const used = used_at === null ? {} : { usedAt: instantOf(used_at.getTime()) };
  return { name, role, heard, workspace: brandAs(workspace), madeAt: instantOf(made_at.getTime()), ...used };
}
