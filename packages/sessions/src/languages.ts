import type { InboundEvent } from "@talaria/protocol";
import type { PairingStore } from "@talaria/store";
import type { Decision } from "./admit.ts";

/** Of so many people the language that was written last is known; whoever wrote longest ago is written once more. */
const mostKnown = 5_000;

/** Keeps the language of who may talk to us, for what they are told later. It is written when it has changed, and once by whoever begins anew. */
export class Languages {
  readonly #known = new Map<string, string>();

  async note(
    { kind: decided }: Decision,
    { conversation: { accountId }, sender }: InboundEvent,
    { pairing }: { readonly pairing: Pick<PairingStore, "noteLanguage"> },
  ): Promise<void> {
    const { userId, language, role, assurance } = sender;
    // A request for access brings its own.
    if (decided === "echo" || decided === "ignore" || decided === "refuse" || decided === "pair") return;
    if (language === undefined || role !== "person" || assurance === "claimed") return;
    const person = JSON.stringify([accountId, userId]);
    if (this.#known.get(person) === language) return;
    await pairing.noteLanguage(accountId, userId, language);
    this.#known.delete(person);
    this.#known.set(person, language);
    if (this.#known.size <= mostKnown) return;
    for (const [oldest] of this.#known) {
      this.#known.delete(oldest);
      return;
    }
  }
}
