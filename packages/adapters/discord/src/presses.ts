import type { Acceptance, AdapterDeps, AdapterStore } from "@talaria/adapter";
import { type Chosen, type Lanes, patiently, SpentChoices } from "@talaria/adapter-kit";
import { type Clock, decidesCalls, type Log } from "@talaria/protocol";
import { answerInteraction, answerTypes, whisper } from "./answer-interaction.ts";
import { actionIds, chosenId, labelOf, spentComponents } from "./choices.ts";
import type { DiscordClient } from "./client.ts";
import type { DiscordInteraction } from "./wire.ts";

export interface PressesDeps {
  readonly client: DiscordClient;
  readonly store: AdapterStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly lanes: Lanes;
  readonly wordsIn: AdapterDeps["wordsIn"];
}

/** What became of a press, and why it was refused. */
interface Taken {
  readonly acceptance: Acceptance;
  readonly refusal?: string | undefined;
}

/** Answers presses of buttons: the first that is recorded disables them all, and the pressed one becomes green. */
export class Presses {
  readonly #deps: PressesDeps;
  readonly #spent: SpentChoices;

  constructor(deps: PressesDeps) {
    this.#deps = deps;
    this.#spent = new SpentChoices(deps.store, deps.log);
  }

  /** Never throws: an answer that comes too late is followed by an edit of the message. */
  async answer(press: DiscordInteraction, taken: Taken, signal: AbortSignal): Promise<void> {
    const { acceptance } = taken;
    const { client, log } = this.#deps;
    const rows = press.message?.components ?? [];
    const id = chosenId(press) ?? "";
    if (decidesCalls(actionIds(rows))) return this.#answerDecision(press, taken, signal);
    const pressed = { id, label: labelOf(rows, id) ?? "" };
    const chosen = acceptance === "dropped" ? undefined : await this.#spent.after(acceptance, keyOf(press), pressed);
    const isFirst = acceptance === "recorded" || chosen?.id === pressed.id;
    const components = spentComponents(rows, chosen?.id ?? "");
    const shown =
      components.length === 0 ? { type: answerTypes.nothing } : { type: answerTypes.update, data: { components } };
    const words = this.#wordsFor(press, taken, chosen);
    try {
      await answerInteraction(press, isFirst ? shown : whisper(words), client, signal);
      if (isFirst) return;
    } catch (error) {
      log.debug({ error }, "a press was not acknowledged in time");
    }
    if (acceptance !== "dropped" && components.length > 0) this.#close(press, components);
  }

  /** The house shows how a question was decided: a press may decide nothing. */
  async #answerDecision(press: DiscordInteraction, taken: Taken, signal: AbortSignal): Promise<void> {
    const isTaken = taken.acceptance === "recorded";
    const shown = isTaken ? { type: answerTypes.nothing } : whisper(this.#wordsFor(press, taken));
    await answerInteraction(press, shown, this.#deps.client, signal).catch((error: unknown) =>
      this.#deps.log.debug({ error }, "a press was not acknowledged in time"),
    );
  }

  /** What whoever pressed reads alone: why they may not, or that somebody was faster. */
  #wordsFor({ locale }: DiscordInteraction, { acceptance, refusal }: Taken, chosen?: Chosen): string {
    const words = this.#deps.wordsIn(locale);
    return acceptance === "dropped" ? (refusal ?? words.buttonNotForYou) : words.answeredAlready(chosen?.label);
  }

  #close(press: DiscordInteraction, components: readonly object[]): void {
    const { client, clock, lanes, log } = this.#deps;
    const path = `/channels/${press.channel_id}/messages/${press.message?.id ?? ""}` as const;
    const edit = (within: AbortSignal) => client.call({ method: "PATCH", path, body: { components } }, within);
    const close = (signal: AbortSignal) =>
      patiently(edit, clock, signal).then(
        () => undefined,
        (error: unknown) => log.debug({ error }, "the buttons of a message were not disabled"),
      );
    const key = `close ${keyOf(press)}`;
    lanes.add(key, key, close).catch(() => undefined);
  }
}

function keyOf({ channel_id, message }: DiscordInteraction): string {
  return `${channel_id}/${message?.id ?? ""}`;
}
