import type { AdapterStore } from "@talaria/adapter";
import { z } from "zod";

/** How far a mail had come when it was last begun: its header, or its content. */
export type Stage = "head" | "content";

const stored = z.object({
  uidValidity: z.string(),
  uid: z.number(),
  head: z.number(),
  content: z.number(),
});

type Stored = z.output<typeof stored>;

const storeName = "attempts";

/**
 * How often the current mail was begun, kept durably: a mail that ends the process each time it is read would otherwise
 * end it for ever. Only the newest mail is counted, since mails are taken one after another.
 */
export class Attempts {
  readonly #store: AdapterStore;
  #last: Stored | undefined;

  constructor(store: AdapterStore) {
    this.#store = store;
  }

  /** Notes that this stage begins, and resolves once that is stored, with how often it has begun, this time included. */
  async begin(mail: { readonly uidValidity: string; readonly uid: number }, stage: Stage): Promise<number> {
    const { uidValidity, uid } = mail;
    const last = this.#last ?? (await this.#read());
    const isSame = last?.uidValidity === uidValidity && last.uid === uid;
    const known = isSame ? last : { uidValidity, uid, head: 0, content: 0 };
    const now = { ...known, [stage]: known[stage] + 1 };
    await this.#store.write(storeName, JSON.stringify(now));
    this.#last = now;
    return now[stage];
  }

  async #read(): Promise<Stored | undefined> {
    const text = await this.#store.read(storeName);
    if (text === undefined) return undefined;
    try {
      return stored.safeParse(JSON.parse(text)).data;
    } catch {
      return undefined;
    }
  }
}
