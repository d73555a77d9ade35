import type { PairingRow, PairingStore } from "@talaria/store";
import { withStore } from "../open-store.ts";
import { pairedPerson, personWords } from "./paired-person.ts";

type Options = Record<string, string | boolean | undefined>;

/** `talaria pair list`. Codes can't be shown, since only their hashes are stored; the id serves as well. */
export function list(options: Options): Promise<void> {
  return withStore(options, async ({ pairing }) => {
    const rows = await pairing.list();
    if (options.json === true) console.log(JSON.stringify(rows, null, 2));
    else if (rows.length === 0) console.log("nobody is waiting and nobody was approved");
    else for (const row of rows) console.log(`${row.id}  ${row.state}  ${personWords(row)}`);
  });
}

/** `talaria pair approve CODE`, or the id or number of somebody who waits, whose code may have expired. */
export function approve(options: Options, code = ""): Promise<void> {
  return withStore(options, async ({ pairing }) => {
    const row = (await pairing.approve(code)) ?? (await pairing.approve(await waitingId(pairing, code)));
    if (row === undefined) throw unknownCode();
    console.log(`approved: ${personWords(row)}`);
  });
}

/** `talaria pair revoke WHO`: an id or its beginning, a number or a name, as `pair list` shows them. */
export function revoke(options: Options, id = ""): Promise<void> {
  return withStore(options, async ({ pairing }) => {
    const { id: found } = pairedPerson(await pairing.list(), id, true);
    const row = await pairing.revoke(found);
    if (row === undefined) throw new Error(`somebody else has removed ${id} just now: see \`talaria pair list\``);
    console.log(revokedWords(row));
  });
}

/** Who only waited had no access that could be taken away: what ends is the code. */
export function revokedWords(row: PairingRow): string {
  if (row.state === "approved") return `revoked: ${personWords(row)}`;
  return `removed: ${personWords(row)}, who only waited and had no access. Writing again asks for a new code`;
}

/** What is like no id and no number is a code that was mistyped or has expired. */
async function waitingId(pairing: PairingStore, words: string): Promise<string> {
  const waiting = (await pairing.list()).filter(({ state }) => state === "waiting");
  try {
    return pairedPerson(waiting, words, false).id;
  } catch (error) {
    if (error instanceof Error && error.message.includes("several")) throw error;
    throw unknownCode();
  }
}

function unknownCode(): Error {
  return new Error(
    "this code is unknown, used or expired: codes are valid for 10 minutes. Use the id or number in `talaria pair list` instead; a name lets nobody in",
  );
}
