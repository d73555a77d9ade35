import type { Acceptance, AdapterHost } from "@talaria/adapter";
import { answerInteraction, answerTypes, whisper } from "./answer-interaction.ts";
import { toActionEvent, toCommandEvent } from "./inbound.ts";
import type { OpenAnswers } from "./open-answers.ts";
import { Presses, type PressesDeps } from "./presses.ts";
import type { Recorder } from "./recorder.ts";
import type { DiscordInteraction } from "./wire.ts";

export interface InteractionDeps extends PressesDeps {
  readonly host: AdapterHost;
  readonly recorder: Recorder;
  /** Slash commands that wait for their answer. */
  readonly answers: OpenAnswers;
}

/** Numbers of Discord's documentation: kinds of interactions. */
const command = 2;
const press = 3;

/** Slash commands and presses of buttons. */
export class Interactions {
  readonly #deps: InteractionDeps;
  readonly #presses: Presses;

  constructor(deps: InteractionDeps) {
    this.#deps = deps;
    this.#presses = new Presses(deps);
  }

  /**
   * Hands one to the host and tells Discord what became of it: a recorded command shows as "thinking" until its answer comes, a
   * recorded press disables the buttons, and people who may not get a refusal that only they see. Discord waits three seconds for that and
   * never asks again; an answer that comes too late is only logged.
   */
  async take(interaction: DiscordInteraction, signal: AbortSignal): Promise<void> {
    if (interaction.type !== command && interaction.type !== press) return;
    const { host, recorder, answers } = this.#deps;
    const { channel_id: channelId, id } = interaction;
    const view = await recorder.viewOf(channelId, interaction.guild_id === undefined, signal);
    if (view === undefined) return;
    const event = interaction.type === press ? toActionEvent(interaction, view) : toCommandEvent(interaction, view);
    if (event === undefined) return;
    const applicationId = interaction.application_id;
    const willAnswer = interaction.type === command && applicationId !== undefined;
    if (willAnswer) await answers.open({ id, applicationId, channelId, token: interaction.token });
    let refusal: string | undefined;
    const tellRefused = (words: string) => {
      refusal = words;
    };
    const acceptance = await host.accept(event, interaction.type === press ? { tellRefused } : {});
    if (interaction.type === press) await this.#presses.answer(interaction, { acceptance, refusal }, signal);
    else await this.#acknowledge(interaction, acceptance, signal);
    if (willAnswer && acceptance === "dropped") await answers.forget(id);
  }

  async #acknowledge(command: DiscordInteraction, acceptance: Acceptance, signal: AbortSignal): Promise<void> {
    const { client, log, wordsIn } = this.#deps;
    const refusal = whisper(wordsIn(command.locale).commandNotForYou);
    const answer = acceptance === "dropped" ? refusal : { type: answerTypes.thinking };
    await answerInteraction(command, answer, client, signal).catch((error: unknown) =>
      log.debug({ error }, "a command was not acknowledged in time"),
    );
  }
}
