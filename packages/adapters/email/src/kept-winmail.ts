import type { TnefMail } from "./tnef/read-tnef.ts";

/**
 * The last `winmail.dat` that was opened for one of its files: the others are asked for next, and each would have it fetched whole. One
 * at a time, until all its files were opened or another one is.
 */
export class KeptWinmail {
  #kept: { readonly key: string; readonly mail: TnefMail; readonly left: Set<number | "body"> } | undefined;

  /** Undefined: it has to be fetched. */
  take(key: string, which: number | "body"): TnefMail | undefined {
    const kept = this.#kept;
    if (kept?.key !== key) return undefined;
    kept.left.delete(which);
    if (kept.left.size === 0) this.#kept = undefined;
    return kept.mail;
  }

  /** Keeps what was fetched for `which`, if there is more in it. */
  keep(key: string, which: number | "body", mail: TnefMail): void {
    const left = new Set<number | "body">(mail.files.keys());
    left.delete(which);
    this.#kept = left.size === 0 ? undefined : { key, mail, left };
  }
}
