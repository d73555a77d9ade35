import { randomBytes } from "node:crypto";
import type { TalariaConfig } from "@talaria/config";
import { type McpToken, type McpTokenStore, tokenDigest } from "@talaria/store";
import { withStore } from "../open-store.ts";
import { shownWord } from "../shown-word.ts";
import { columns } from "./status-lines.ts";

type Options = Record<string, string | boolean | undefined>;

const roles: readonly McpToken["role"][] = ["owner", "member", "guest"];

/** `talaria mcp token create NAME`: the token itself is shown now and kept nowhere. */
export function create(options: Options, name = ""): Promise<void> {
  if (!/^[A-Za-z0-9][A-Za-z0-9-]{0,31}$/.test(name))
    throw new Error("the name of a token must be 1 to 32 letters, digits or `-`");
  const role = roles.find((one) => one === options.role);
  if (role === undefined) throw new Error("--role must be owner, member or guest");
  return withStore(options, async ({ mcpTokens }, { config }) => {
    const token = randomBytes(32).toString("base64url");
    await mcpTokens.make(name, role, tokenDigest(token));
    console.error(`${name} has the rights of ${aOrAn(role)}. Its token, which is shown only now:`);
    console.log(token);
    console.error("It begins without files. If there was a token of this name before, its files stay with that one.");
    if (!config.mcp.serve.http)
      console.error("Nothing is served at /mcp yet: set mcp.serve.http to true and restart Talaria, see docs/mcp.md");
  });
}

/** `talaria mcp token list`. */
export function list(options: Options): Promise<void> {
  return withStore(options, async ({ mcpTokens }) => {
    const tokens = await mcpTokens.list();
    if (options.json === true) console.log(JSON.stringify(tokens, null, 2));
    else if (tokens.length === 0) console.log("no tokens: make one with `talaria mcp token create NAME`");
    else for (const token of tokens) console.log(tokenLine(token));
  });
}

/** `talaria mcp token revoke NAME`. */
export function revoke(options: Options, name = ""): Promise<void> {
  return withStore(options, async ({ mcpTokens }) => {
    if (!(await mcpTokens.revoke(name)))
      throw new Error(`there is no token called ${shownWord(name)}: see \`talaria mcp token list\``);
    console.log(`revoked: ${name}`);
  });
}

/** Who may call `/mcp`. Undefined: it is not served. */
export async function callersOf(
  { mcp }: Pick<TalariaConfig, "mcp">,
  tokens: Pick<McpTokenStore, "list">,
): Promise<readonly McpToken[] | undefined> {
  return mcp.serve.http ? await tokens.list() : undefined;
}

/** The same, for people. */
export function callerLines(tokens: readonly McpToken[] | undefined): readonly string[] {
  if (tokens === undefined) return [];
  return columns("callers", tokens.length === 0 ? ["nobody has a token for /mcp"] : tokens.map(tokenLine));
}

function tokenLine({ name, role, usedAt, heard }: McpToken): string {
  const used = usedAt === undefined ? "never used" : `used last ${usedAt.slice(0, 16).replace("T", " ")} UTC`;
  const tainted = heard.length === 0 ? "" : `, has read untrusted content (${heard.slice(0, 5).join(", ")})`;
  return `${name}  ${role}  ${used}${tainted}`;
}

function aOrAn(role: string): string {
  return role === "owner" ? "an owner" : `a ${role}`;
}
