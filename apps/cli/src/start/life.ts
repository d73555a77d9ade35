/** Deaths that are older say nothing of how it goes now. */
const windowMs = 600_000;
/** Of a child that dies as often as it can, ten minutes have fewer. */
const mostDeaths = 200;

/** What a supervisor says of a child, in the rows of living processes. */
export interface Life {
  /** `gateway`, `worker 1`. */
  readonly name: string;
  /** How often it has ended by itself within the last ten minutes. */
  readonly crashes: number;
  /** When the first and the last of them were, as ISO 8601. */
  readonly since?: string;
  readonly at?: string;
  /** `SIGKILL`, `code 1`. */
  readonly how?: string;
}

/** Counts how often a child has ended by itself lately. */
export class Deaths {
  #deaths: { readonly at: number; readonly how: string }[] = [];

  add(how: string, now = Date.now()): void {
    this.#deaths = [...this.#recent(now), { at: now, how }].slice(-mostDeaths);
  }

  lifeOf(name: string, now = Date.now()): Life {
    const recent = this.#recent(now);
    const [first, last] = [recent[0], recent.at(-1)];
    if (first === undefined || last === undefined) return { name, crashes: 0 };
    const { how } = last;
    return { name, crashes: recent.length, since: iso(first.at), at: iso(last.at), how };
  }

  #recent(now: number) {
    return this.#deaths.filter(({ at }) => now - at < windowMs);
  }
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
