import type { NetworkUse, RefusedHost } from "@talaria/agent";

const mostRefused = 16;
/** Entries that are kept for commands which still run: a flood of connections leaves its newest. */
const mostKept = 1_000;

/** What came to a door, for whoever asks what became of one command's connections. */
export class NetworkLog {
  /** Undefined: a host was reached. */
  readonly #entries: (RefusedHost | undefined)[] = [];
  #dropped = 0;

  reached(): void {
    this.#add(undefined);
  }

  refused(host: string, why: RefusedHost["why"]): void {
    this.#add({ host: shortName(host), why });
  }

  /** What comes from now on, as of when it is asked. */
  fromNow(): () => NetworkUse {
    const start = this.#dropped + this.#entries.length;
    return () => useOf(this.#entries.slice(Math.max(0, start - this.#dropped)));
  }

  #add(entry: RefusedHost | undefined): void {
    this.#entries.push(entry);
    if (this.#entries.length <= mostKept) return;
    this.#entries.splice(0, mostKept / 2);
    this.#dropped += mostKept / 2;
  }
}

function useOf(entries: readonly (RefusedHost | undefined)[]): NetworkUse {
  const refused = new Map<string, RefusedHost>();
  for (const entry of entries) if (entry !== undefined && refused.size < mostRefused) refused.set(entry.host, entry);
  return { hasReached: entries.includes(undefined), refused: [...refused.values()] };
}

/** A command may ask for anything, and somebody reads it. */
function shortName(host: string): string {
  return /^[a-z0-9.:[\]-]{1,260}$/.test(host) ? host : "a host with an odd name";
}
