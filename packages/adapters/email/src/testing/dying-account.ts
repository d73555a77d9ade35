// An account in a process of its own that is killed each time it begins to read the content of the mail whose UID is the
// third argument, up to as many times as the fourth says. What it remembers is a file, so it outlives the process.
import { readFile, writeFile } from "node:fs/promises";
import type { AdapterStore } from "@talaria/adapter";
import { silentLog } from "@talaria/protocol";
import { adapterDeps, messageOf } from "@talaria/testkit";
import { createEmailAdapter } from "../adapter.ts";
import { emailConfigSchema } from "../config.ts";

const [settings = "", path = "", uid = "", deaths = ""] = process.argv.slice(2);

async function values(): Promise<Record<string, string>> {
  return JSON.parse(await readFile(path, "utf8")) as Record<string, string>;
}

const store: AdapterStore = {
  read: async (name) => (await values())[name],
  write: async (name, value) => {
    const known = await values();
    await writeFile(path, JSON.stringify({ ...known, [name]: value }));
    if (name !== "attempts") return;
    const [before, now] = [begun(known[name]), begun(value)];
    const isContent = now.uid === Number(uid) && now.content > (before.uid === now.uid ? before.content : 0);
    if (isContent && now.content <= Number(deaths)) process.kill(process.pid, "SIGKILL");
  },
  remove: async () => undefined,
};

function begun(value = '{"uid":0,"content":0}') {
  return JSON.parse(value) as { readonly uid: number; readonly content: number };
}

const tell = (word: DyingAccountWord) => void process.send?.(word);
const log = { ...silentLog, error: (_: unknown, sentence: string) => tell({ error: sentence }), child: () => log };
const adapter = createEmailAdapter(emailConfigSchema.parse(JSON.parse(settings)), adapterDeps({ store, log }));

/** What the process tells its parent. */
export type DyingAccountWord = { readonly text: string } | { readonly error: string } | { readonly leftOut: string };

process.on("disconnect", () => process.exit());
await adapter.start({
  accept: async (event) => {
    tell({ text: messageOf(event).markdown });
    return "recorded";
  },
  isAllowed: async () => true,
  received: async () => undefined,
  kindChanged: async () => undefined,
  added: async () => undefined,
  heard: async () => undefined,
  leftOut: (reason) => tell({ leftOut: reason }),
  report: () => undefined,
  receipt: async () => undefined,
});
