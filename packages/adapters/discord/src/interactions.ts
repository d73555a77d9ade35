import type { Acceptance, AdapterHost } from "@talaria/adapter";
import type { Log } from "@talaria/protocol";
import { spentComponents } from "./choices.ts";
import type { DiscordClient } from "./client.ts";
import { toActionEvent, toCommandEvent } from "./inbound.ts";
import type { OpenAnswers } from "./open-answers.ts";
import type { Recorder } from "./recorder.ts";
import type { DiscordInteraction } from "./wire.ts";

export interface InteractionDeps {
  readonly host: AdapterHost;
  readonly client: DiscordClient;
  readonly log: Log;
  readonly recorder: Recorder;
  /** Slash commands that wait for their answer. */
  readonly answers: OpenAnswers;
}

/** Numbers of Discord's documentation: kinds of interactions, of answers, and the flag of what one person alone sees. */
const command = 2;
const press = 3;
const answerTypes = { message: 4, thinking: 5, nothing: 6, update: 7 } as const;
const onlyForThem = 1 << 6;

/** Slash commands and presses of buttons. */
export class Interactions {
  readonly #deps: InteractionDeps;

  constructor(deps: InteractionDeps) {
    this.#deps = deps;
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
    const acceptance = await host.accept(event);
    await this.#acknowledge(interaction, acceptance, signal);
    if (willAnswer && acceptance === "dropped") await answers.forget(id);
  }

  async #acknowledge(interaction: DiscordInteraction, acceptance: Acceptance, signal: AbortSignal): Promise<void> {
    const { client, log } = this.#deps;
    const path = `/interactions/${interaction.id}/${interaction.token}/callback` as const;
    const body = acceptance === "dropped" ? refusalOf(interaction) : takenOf(interaction);
    await client
      .call({ method: "POST", path, body, isTokenless: true }, signal)
      .catch((error: unknown) => log.debug({ error }, "an interaction was not acknowledged in time"));
  }
}

function refusalOf({ type }: DiscordInteraction) {
  const content = type === press ? "This button is not for you." : "This command is not for you.";
  return { type: answerTypes.message, data: { content, flags: onlyForThem, allowed_mentions: { parse: [] } } };
}

function takenOf({ type, data, message }: DiscordInteraction) {
  if (type === command) return { type: answerTypes.thinking };
  const components = spentComponents(message?.components ?? [], data?.custom_id ?? "");
  return components.length === 0 ? { type: answerTypes.nothing } : { type: answerTypes.update, data: { components } };
}
