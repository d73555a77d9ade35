import type { Log } from "@talaria/protocol";
import type { ChatStore } from "@talaria/store";
import { type Repeated, repeat } from "./repeat.ts";

const everyMs = 30_000;

/** Keeps lists and searches near what was said, so that whoever opens one waits for little. Any number of gateways may do so at once. */
export function startCatchUp(chats: Pick<ChatStore, "catchUp">, log: Log): Repeated {
  const failed = (error: unknown) => log.warn({ error }, "lists of conversations are not up to date");
  return repeat((signal) => chats.catchUp(signal), { everyMs, failed });
}
