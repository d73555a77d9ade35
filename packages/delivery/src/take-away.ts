import { ask, type Steps } from "./lane-io.ts";
import type { PlaceFacts } from "./place.ts";
import type { Call, Message } from "./reply-message.ts";

/** Deletes what was shown of an answer where the platform can; elsewhere it stays. */
export function* takeAway(preview: Message, { removes }: PlaceFacts): Steps<void> {
  let call: Call;
  if (preview.state === "view") call = { kind: "discard", view: preview.view, isFinal: false };
  else if (preview.state === "posted" && removes)
    call = { kind: "remove", messageId: preview.messageId, isFinal: false };
  else return;
  yield* ask((io) => io.pace());
  yield* ask((io) => io.call(call));
}
