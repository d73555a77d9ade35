import type { TurnId } from "@talaria/protocol";
import { ask, type Steps } from "./lane-io.ts";
import type { PlaceFacts } from "./place.ts";
import type { Call, Message } from "./reply-message.ts";

/** Deletes what was shown of an answer where the platform can; elsewhere it stays. Whether it is gone. */
export function* takeAway(preview: Message, { removes }: PlaceFacts): Steps<boolean> {
  let call: Call;
  if (preview.state === "view") call = { kind: "discard", view: preview.view, isFinal: false };
  else if (preview.state === "posted" && removes)
    call = { kind: "remove", messageId: preview.messageId, isFinal: false };
  else return false;
  yield* ask((io) => io.pace());
  const { error } = yield* ask((io) => io.call(call));
  return error === undefined || error.code === "not_found";
}

/** Where the preview of a reply stands; undefined if this gateway has shown nothing of it. */
export interface PreviewMessage {
  message: Message | undefined;
  /** It says what is done, and nothing of the answer. */
  readonly isActivity?: boolean;
}

/**
 * An edit notifies nobody: who left while the work went on would never hear that it is done. So a message that has only said what is done
 * goes, and the answer is a new one. Where that fails, it is edited.
 */
export function* withoutActivity(
  turnId: TurnId,
  preview: Message,
  holder: PreviewMessage,
  facts: PlaceFacts,
): Steps<Message> {
  if (!holder.isActivity || preview.state !== "posted" || !(yield* takeAway(preview, facts))) return preview;
  yield* ask((io) => io.forgetPreview(turnId));
  holder.message = { state: "none" };
  return holder.message;
}
