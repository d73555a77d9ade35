import { withStore } from "../open-store.ts";
import { personWords } from "./paired-person.ts";
import { decide, decideAbout } from "./people.ts";

type Options = Record<string, string | boolean | undefined>;

/** `talaria pair list`: those who asked, and how they stand. `talaria people` shows everybody. */
export function list(options: Options): Promise<void> {
  return withStore(options, async ({ pairing }) => {
    const rows = await pairing.list();
    if (options.json === true) console.log(JSON.stringify(rows, null, 2));
    else if (rows.length === 0) console.log("nobody is waiting and nobody was approved");
    else for (const row of rows) console.log(`${row.id}  ${row.state}  ${personWords(row)}`);
  });
}

/** `talaria pair approve CODE`, as `people add`: also by the id or number of somebody whose code may have expired. */
export function approve(options: Options, code = ""): Promise<void> {
  return withStore(options, async ({ pairing }, loaded) => {
    const waiting = async () => (await pairing.list()).filter(({ state }) => state !== "approved");
    const listed = { ...pairing, list: waiting };
    try {
      const { row } = await decideAbout(listed, "add", code, async () => [], loaded);
      console.log(`approved: ${personWords(row)}`);
    } catch (error) {
      if (error instanceof Error && !error.message.startsWith("nobody in")) throw error;
      throw unknownCode();
    }
  });
}

/** `talaria pair revoke WHO`: the same as `people remove`. */
export const revoke = decide("remove");

/** What is like no id and no number is a code that was mistyped or has expired. */
function unknownCode(): Error {
  return new Error(
    "this code is unknown, used or expired: codes are valid for 10 minutes. Use the id or number in `talaria people` instead, since a name isn't enough: people choose their own",
  );
}
