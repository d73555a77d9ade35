import { GatewayError, type OutboundMessage, type UserId } from "@talaria/protocol";
import type { SlackClient } from "./client.ts";
import { placeOf } from "./outbound.ts";
import { withoutRefusedBlocks } from "./refused-blocks.ts";
import { read } from "./wire.ts";

/**
 * Shows a message to one member of a channel and returns its ts, which no other method takes. Slack keeps no such message: it has
 * no metadata, stands in no history and is gone when the person's app starts again
 * (docs.slack.dev/reference/methods/chat.postEphemeral). Throws `forbidden` when the app or the person is not a member,
 * `unsupported` for files.
 */
export async function sendPrivately(
  message: OutboundMessage & { readonly privateTo: UserId },
  client: Pick<SlackClient, "call">,
  signal: AbortSignal,
): Promise<string> {
  const { conversation, privateTo: user, markdown, choices } = message;
  if (message.attachments.length > 0)
    throw new GatewayError("slack shows no files to one person alone", { code: "unsupported" });
  const answer = withoutRefusedBlocks(markdown, choices, ({ text, blocks, parse }) => {
    const content = { text, ...(blocks.length > 0 ? { blocks } : {}), ...(parse === undefined ? {} : { parse }) };
    return client.call("chat.postEphemeral", { ...placeOf(conversation), user, ...content }, signal);
  });
  const ts = read.whispered(await answer)?.message_ts;
  if (ts !== undefined) return ts;
  throw new GatewayError("slack accepted a message without returning its ts", { code: "unavailable" });
}
