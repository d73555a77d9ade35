import type { OutboundMessage } from "@talaria/protocol";
import { formatted } from "./formatted.ts";
import { placeArgs, textArgs, toText } from "./outbound.ts";
import type { RichMessages } from "./rich-messages.ts";
import { type FileDeps, type Sent, sendAlbum, sendFile } from "./send-files.ts";

export interface SendDeps extends FileDeps {
  readonly rich: RichMessages;
}

/** Posts exactly one message, or the messages of one album. */
export async function sendOne(message: OutboundMessage, deps: SendDeps, signal: AbortSignal): Promise<Sent> {
  const [attachment, ...others] = message.attachments;
  if (attachment === undefined) return sendText(message, deps, signal);
  return others.length === 0 ? sendFile(message, attachment, deps, signal) : sendAlbum(message, deps, signal);
}

function sendText(message: OutboundMessage, { client, chats, rich }: SendDeps, signal: AbortSignal): Promise<Sent> {
  const text = toText(message.markdown);
  return chats.post(message.conversation, (place) => {
    const args = placeArgs(place, message, chats);
    const plain = () =>
      formatted((isFormatted) => client.call("sendMessage", { ...args, ...textArgs(text, isFormatted) }, signal));
    return rich.prefer(
      message.markdown,
      (rich_message) => client.call("sendRichMessage", { ...args, rich_message }, signal),
      plain,
    );
  });
}
