import { GatewayError } from "@talaria/protocol";
import type { Database, Value } from "../database/database.ts";
import type { SessionLease } from "../ports/turns.ts";

/** The session, for whoever holds it alone. */
const held = "select session_key from session where session_key = $1 and owner = $2 and fence = $3 for update";

/**
 * Writes for the holder of a session alone: `text` reads `held`, its values begin with $4, and it returns a row where it wrote. Throws
 * `conflict` for a lost lease.
 */
export async function writeHeld(
  database: Database,
  { sessionKey, holder, fence }: SessionLease,
  text: string,
  values: readonly Value[],
): Promise<void> {
  const rows = await database.query({
    text: `with held as (${held}) ${text}`,
    values: [sessionKey, holder, fence, ...values],
  });
  if (rows.length === 0) throw new GatewayError("another worker holds the session now", { code: "conflict" });
}
