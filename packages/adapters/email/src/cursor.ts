import type { AdapterStore } from "@talaria/adapter";
import { z } from "zod";

const storeName = "cursor";

const stored = z.object({
  /** UIDs mean the same as long as this stays the same. */
  uidValidity: z.string(),
  lastUid: z.number().int().nonnegative(),
  /** When this mailbox was first opened, in milliseconds since 1970: what came before is not ours to answer. */
  sinceMs: z.number(),
});

export type Position = z.output<typeof stored>;

/** Up to which mail everything was accepted, across restarts. Undefined before the first time. */
export async function readPosition(store: AdapterStore): Promise<Position | undefined> {
  const text = await store.read(storeName);
  if (text === undefined) return undefined;
  try {
    return stored.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Resolves when it is stored. */
export async function writePosition(store: AdapterStore, position: Position): Promise<void> {
  await store.write(storeName, JSON.stringify(position));
}
