import type { PairingRow } from "@talaria/store";
import { withStore } from "../open-store.ts";

type Options = Record<string, string | boolean | undefined>;

/** `talaria pair list`. Codes can't be shown: only their hashes are stored. */
export function list(options: Options): Promise<void> {
  return withStore(options, async ({ pairing }) => {
    const rows = await pairing.list();
    if (options.json === true) console.log(JSON.stringify(rows, null, 2));
    else if (rows.length === 0) console.log("nobody waits and nobody was approved");
    else for (const row of rows) console.log(`${row.id}  ${row.state}  ${describe(row)}`);
  });
}

/** `talaria pair approve CODE`, or the id of a request whose code has expired. */
export function approve(options: Options, code = ""): Promise<void> {
  return withStore(options, async ({ pairing }) => {
    const row = await pairing.approve(code);
    if (row === undefined)
      throw new Error(
        "this code is unknown, used or expired (after 10 minutes): use the id in `talaria pair list` instead",
      );
    console.log(`approved: ${describe(row)}`);
  });
}

/** `talaria pair revoke ID`. */
export function revoke(options: Options, id = ""): Promise<void> {
  return withStore(options, async ({ pairing }) => {
    const row = await pairing.revoke(id);
    if (row === undefined) throw new Error(`no pairing has the id ${id}: see \`talaria pair list\``);
    console.log(`revoked: ${describe(row)}`);
  });
}

/** Names are data of strangers: control characters never reach the terminal. */
function describe({ accountId, userId, displayName }: PairingRow): string {
  return `${JSON.stringify(displayName)} (${userId}) on ${accountId}`;
}
