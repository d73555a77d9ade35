import type { Log } from "@talaria/protocol";
import type { Store } from "@talaria/store";
import { type Repeated, repeat } from "./repeat.ts";

const everyMs = 30_000;

/** Keeps lists and searches near what was said, so that whoever opens one waits for little. Any number of gateways may do so at once. */
export function startCatchUp({ chats, search }: Pick<Store, "chats" | "search">, log: Log): Repeated {
  const failed = (error: unknown) => log.warn({ error }, "lists of conversations are not up to date");
  const catchUp = async (signal: AbortSignal) => {
    await chats.catchUp(signal);
    await search.catchUp(signal);
  };
  return repeat(catchUp, { everyMs, failed });
}
