import { GatewayError, type OutboundMessage } from "@talaria/protocol";
import { maxCaptionLength, maxTextLength } from "./capabilities.ts";
import type { Chats, Place } from "./chats.ts";
import { keyboardArgs } from "./choices.ts";
import { type Rendered, render } from "./format.ts";

/** Where a message goes, what it answers and its buttons. It is sent all the same when the answered message is gone. */
export function placeArgs(place: Place, message: OutboundMessage, chats: Chats) {
  const { conversation, replyTo, choices } = message;
  const answered = replyTo === undefined ? undefined : chats.numberIn(place, conversation, replyTo);
  return {
    ...place,
    ...keyboardArgs(choices),
    ...(answered === undefined
      ? {}
      : { reply_parameters: { message_id: answered, allow_sending_without_reply: true } }),
  };
}

/** A text as one message takes it, or throws `too_large` or `invalid_request`. */
export function toText(markdown: string): Rendered {
  const rendered = render(markdown);
  if (rendered.text.trim() === "")
    throw new GatewayError("a message needs text or a file", { code: "invalid_request" });
  return limited(rendered, maxTextLength);
}

/** A text as it fits below a file; empty when there is none. */
export function toCaption(markdown: string): Rendered {
  return limited(render(markdown), maxCaptionLength);
}

function limited(rendered: Rendered, maxLength: number): Rendered {
  const { length } = rendered.text;
  if (length <= maxLength) return rendered;
  throw new GatewayError(`a text of ${length} is longer than the ${maxLength} that telegram takes`, {
    code: "too_large",
    details: { length, maxLength },
  });
}

/** The arguments that say what a message reads, with formatting or, where Telegram refused that, without. */
export function textArgs({ html, text }: Rendered, isFormatted: boolean) {
  const preview = { link_preview_options: { is_disabled: true } };
  return isFormatted ? { text: html, parse_mode: "HTML" as const, ...preview } : { text, ...preview };
}

export function captionArgs({ html, text }: Rendered, isFormatted: boolean) {
  if (text === "") return {};
  return isFormatted ? { caption: html, parse_mode: "HTML" as const } : { caption: text };
}
