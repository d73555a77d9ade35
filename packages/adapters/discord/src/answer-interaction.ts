import type { DiscordClient } from "./client.ts";
import type { DiscordInteraction } from "./wire.ts";

/** Numbers of Discord's documentation: kinds of answers, and the flag of what one person alone sees. */
export const answerTypes = { message: 4, thinking: 5, nothing: 6, update: 7 } as const;
const onlyForThem = 1 << 6;

interface InteractionAnswer {
  readonly type: number;
  readonly data?: object;
}

/** The first answer to an interaction. Discord waits three seconds for it. */
export async function answerInteraction(
  { id, token }: DiscordInteraction,
  body: InteractionAnswer,
  client: Pick<DiscordClient, "call">,
  signal: AbortSignal,
): Promise<void> {
  await client.call({ method: "POST", path: `/interactions/${id}/${token}/callback`, body, isTokenless: true }, signal);
}

/** A message that only who asked sees. */
export function whisper(content: string): InteractionAnswer {
  return { type: answerTypes.message, data: { content, flags: onlyForThem, allowed_mentions: { parse: [] } } };
}
