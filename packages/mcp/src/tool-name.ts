import { createHash } from "node:crypto";
import { GatewayError } from "@talaria/protocol";

const mostChars = 64;
const hashChars = 8;

/** Throws `invalid_request` for a name that can't be part of a tool's name. */
export function checkServerName(server: string): void {
  if (/^[A-Za-z0-9][A-Za-z0-9-]{0,31}$/.test(server)) return;
  throw new GatewayError(
    `mcp.servers: "${server.slice(0, 64)}" is no name for a server. Use 1 to 32 letters, digits and "-"`,
    { code: "invalid_request" },
  );
}

/**
 * The name the model calls: `mcp_<server>_<tool>`. Where a character has to go or the name is too long, a hash of the whole
 * name takes the end, so the name depends on no other tool. No two servers share a name, since none has a `_` in its own.
 */
export function toolName(server: string, tool: string): string {
  const whole = `mcp_${server}_${tool}`;
  const safe = whole.replace(/[^A-Za-z0-9_-]/g, "_");
  if (safe === whole && whole.length <= mostChars) return whole;
  const hash = createHash("sha256").update(`${server}\n${tool}`).digest("hex").slice(0, hashChars);
  return `${safe.slice(0, mostChars - hashChars - 1)}_${hash}`;
}
