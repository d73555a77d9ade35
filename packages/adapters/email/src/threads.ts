import type { AdapterStore } from "@talaria/adapter";
import { z } from "zod";
import { shortChain, threadTag } from "./message-ids.ts";

const thread = z.object({
  correspondent: z.string(),
  root: z.string(),
  /** Message-IDs of the thread, the root first, the newest last; at most 20. */
  chain: z.array(z.string()),
});

export type MailThread = z.output<typeof thread>;

/** Threads are kept in so many drawers, each of so many: enough to name an old one, and never more. */
const drawers = 64;
const threadsPerDrawer = 16;

/** What a reply has to repeat of its thread. Forgetting is harmless: then a reply names the root and what it answers. */
export class Threads {
  readonly #store: AdapterStore;
  readonly #read = new Map<string, readonly MailThread[]>();

  constructor(store: AdapterStore) {
    this.#store = store;
  }

  /** A thread of this correspondent by its root's tag. Nobody finds somebody else's. */
  async find(correspondent: string, tag: string): Promise<MailThread | undefined> {
    const threads = await this.#drawer(drawerOf(correspondent, tag));
    return threads.find((each) => each.correspondent === correspondent && threadTag(each.root) === tag);
  }

  /** Adds the newest mails of a thread. Resolves when that is stored. */
  async remember(correspondent: string, root: string, ids: readonly string[]): Promise<void> {
    const tag = threadTag(root);
    const name = drawerOf(correspondent, tag);
    const threads = await this.#drawer(name);
    const known = threads.find((each) => each.correspondent === correspondent && each.root === root);
    const others = threads.filter((each) => each !== known);
    const chain = shortChain([root, ...(known?.chain ?? []), ...ids]);
    const kept = [...others, { correspondent, root, chain: [...chain] }].slice(-threadsPerDrawer);
    this.#read.set(name, kept);
    await this.#store.write(name, JSON.stringify(kept));
  }

  async #drawer(name: string): Promise<readonly MailThread[]> {
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const threads = parsed(await this.#store.read(name));
    this.#read.set(name, threads);
    return threads;
  }
}

function drawerOf(correspondent: string, tag: string): string {
  return `threads-${Number.parseInt(threadTag(`${correspondent}\n${tag}`).slice(0, 4), 16) % drawers}`;
}

function parsed(text: string | undefined): readonly MailThread[] {
  if (text === undefined) return [];
  try {
    return z.array(thread).safeParse(JSON.parse(text)).data ?? [];
  } catch {
    return [];
  }
}
