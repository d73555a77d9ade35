import type { Acceptance, AdapterDeps, AdapterStore, PlatformWords } from "@talaria/adapter";
import { type Chosen, type Lanes, patiently, SpentChoices } from "@talaria/adapter-kit";
import { type Clock, decidesCalls, type Log } from "@talaria/protocol";
import type { SlackClient } from "./client.ts";
import { choicesBelow, closedContent } from "./close-choices.ts";
import { isDirect, pressedChoice } from "./inbound.ts";
import type { People } from "./people.ts";
import type { SlackPress } from "./wire.ts";

export interface PressesDeps {
  readonly client: SlackClient;
  readonly store: AdapterStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly lanes: Lanes;
  readonly people: Pick<People, "languageOf">;
  readonly wordsIn: AdapterDeps["wordsIn"];
}

/** Closes the messages below which something was chosen, and tells who may not press or came too late. */
export class Presses {
  readonly #deps: PressesDeps;
  readonly #spent: SpentChoices;

  constructor(deps: PressesDeps) {
    this.#deps = deps;
    this.#spent = new SpentChoices(deps.store, deps.log);
  }

  /** Resolves when it is stored what was chosen; Slack need not wait for what is then shown. Never throws. */
  async answer(press: SlackPress, acceptance: Acceptance, refusal?: string): Promise<void> {
    const pressed = pressedChoice(press);
    if (pressed === undefined) return;
    if (acceptance === "dropped") return this.#tell(press, (words) => refusal ?? words.buttonNotForYou);
    // The house shows how a question was decided: a press may decide nothing.
    if (decidesCalls(choicesBelow(press))) {
      if (acceptance === "duplicate") this.#tell(press, (words) => words.answeredAlready());
      return;
    }
    const chosen = await this.#spent.after(acceptance, `${press.channel.id}/${press.message.ts}`, pressed);
    if (acceptance === "duplicate" && chosen?.id !== pressed.id)
      this.#tell(press, (words) => words.answeredAlready(chosen?.label));
    this.#close(press, chosen);
  }

  #close({ channel, message }: SlackPress, chosen: Chosen | undefined): void {
    const content = closedContent(message, chosen);
    if (content === undefined) return;
    const { client, clock } = this.#deps;
    const args = { channel: channel.id, ts: message.ts, ...content };
    this.#later(`close/${channel.id}/${message.ts}`, (signal) =>
      patiently((within) => client.call("chat.update", args, within), clock, signal),
    );
  }

  /** Where several people are, whoever pressed sees it alone (docs.slack.dev/reference/methods/chat.postEphemeral). */
  #tell({ channel, message, user, actions }: SlackPress, say: (words: PlatformWords) => string): void {
    if (isDirect(channel.id)) return;
    const thread = message.thread_ts === undefined ? {} : { thread_ts: message.thread_ts };
    const { client, people, wordsIn } = this.#deps;
    this.#later(`tell/${channel.id}/${user.id}/${actions[0]?.action_ts}`, async (signal) => {
      const text = say(wordsIn(await people.languageOf(user.id, signal)));
      await client.call("chat.postEphemeral", { channel: channel.id, user: user.id, text, ...thread }, signal);
    });
  }

  #later(key: string, call: (signal: AbortSignal) => Promise<unknown>): void {
    const { lanes, log } = this.#deps;
    const task = (signal: AbortSignal) =>
      call(signal).then(
        () => undefined,
        (error: unknown) => log.debug({ error }, "what became of a press was not shown"),
      );
    lanes.add(key, key, task).catch(() => undefined);
  }
}
