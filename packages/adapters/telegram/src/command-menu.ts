import { createHash } from "node:crypto";
import type { AdapterStore, CommandInfo } from "@talaria/adapter";
import type { TelegramClient } from "./client.ts";

const storedAs = "command-menu";
const maxCommands = 100;
const maxDescriptionLength = 256;

/** Puts the commands into the menu of Telegram's apps. Calls only when they differ from what was last put there. */
export async function putCommandMenu(
  { client, store, selfId }: { readonly client: TelegramClient; readonly store: AdapterStore; readonly selfId: string },
  commands: readonly CommandInfo[],
  signal: AbortSignal,
): Promise<void> {
  const menu = commands
    .filter(({ name }) => /^[a-z0-9_]{1,32}$/.test(name))
    .slice(0, maxCommands)
    .map(({ name, description }) => ({
      command: name,
      description: description.slice(0, maxDescriptionLength).trim() || name,
    }));
  const digest = createHash("sha256")
    .update(JSON.stringify([selfId, menu]))
    .digest("base64url");
  if ((await store.read(storedAs)) === digest) return;
  await client.call("setMyCommands", { commands: menu }, signal);
  await store.write(storedAs, digest);
}
