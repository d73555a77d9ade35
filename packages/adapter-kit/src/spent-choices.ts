import type { AdapterStore } from "@talaria/adapter";
import type { Acceptance, Log } from "@talaria/protocol";
import { z } from "zod";
import { BoundedMap } from "./bounded-map.ts";

/** One of the choices below a message of ours. */
export interface Chosen {
  readonly id: string;
  readonly label: string;
}

const storeName = "spent-choices";
const keptMessages = 100;
const stored = z.array(z.tuple([z.string(), z.object({ id: z.string(), label: z.string() })]));

/**
 * What was chosen below messages of ours. Written after the press is recorded and before its message is changed, so that a message
 * whose change failed can be closed by a later press, also in another process, and never shows what a later press meant.
 */
export class SpentChoices {
  readonly #store: AdapterStore;
  readonly #log: Log;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: AdapterStore, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /**
   * What a message has to show after a press that was not refused. Undefined: something was chosen before, and it is not known
   * any more what. Never throws.
   */
  after(acceptance: Exclude<Acceptance, "dropped">, message: string, pressed: Chosen): Promise<Chosen | undefined> {
    const found = this.#last.then(() =>
      acceptance === "recorded" ? this.#keep(message, pressed) : this.#known().then((known) => known.get(message)),
    );
    const safe = found.catch((error: unknown) => {
      this.#log.debug({ error }, "what was chosen could not be stored or read");
      return acceptance === "recorded" ? pressed : undefined;
    });
    this.#last = safe;
    return safe;
  }

  async #keep(message: string, pressed: Chosen): Promise<Chosen> {
    const known = await this.#known();
    known.set(message, pressed);
    await this.#store.write(storeName, JSON.stringify([...known]));
    return pressed;
  }

  /** Read each time: several gateways may serve the account. */
  async #known(): Promise<BoundedMap<string, Chosen>> {
    const known = new BoundedMap<string, Chosen>(keptMessages);
    for (const [message, chosen] of readKnown(await this.#store.read(storeName))) known.set(message, chosen);
    return known;
  }
}

function readKnown(text = "[]"): z.output<typeof stored> {
  try {
    return stored.safeParse(JSON.parse(text)).data ?? [];
  } catch {
    return [];
  }
}
