import type { GatewayError } from "@talaria/protocol";
import type { GrowingReply } from "./growing-reply.ts";
import { ask, type Steps } from "./lane-io.ts";
import type { PlaceFacts } from "./place.ts";
import { type Answer, afterCall, begun, type Call, nextStep, previewKey, storedPreview } from "./reply-message.ts";

/** Shows the text so far: posts it, edits the existing message, or updates the view. */
export function* showReply(reply: GrowingReply): Steps<void> {
  const outcome = yield* showOnce(reply);
  if (outcome === "no-view") yield* showOnce(reply);
}

/** `no-view`: the platform turned out to have no views here; nothing was shown, and a message may be posted instead. */
function* showOnce(reply: GrowingReply): Steps<"no-view" | undefined> {
  const { turnId, conversation, replyTo } = reply.place;
  const facts = yield* ask((io) => io.facts());
  const { shows } = facts;
  if (shows === undefined) return hidden(reply);
  if (reply.message === undefined && shows.as === "message")
    reply.message = storedPreview(turnId, yield* ask((io) => io.preview(turnId)));
  const { text } = reply.text;
  const line = shows.activity ? reply.activityLine(yield* ask((io) => io.elapsed())) : undefined;
  const markdown = yield* ask((io) => io.fit(reply, line));
  const deliveryKey = previewKey(turnId);
  const message = { deliveryKey, conversation, markdown, attachments: [], ...(replyTo ? { replyTo } : {}) };
  const goal = { message, isFinal: false };
  for (let isOpening = true; isOpening; ) {
    const step = nextStep(reply.message ?? { state: "none" }, goal, facts);
    if (step.kind !== "call") return hidden(reply);
    isOpening = step.call.kind === "open";
    const answer = yield* step.call.kind === "send" ? post(reply, step.call) : write(reply, step.call);
    if (answer.error === undefined) continue;
    if (isOpening && answer.error.code === "unsupported" && (yield* ask((io) => io.facts())).shows?.as === "message") {
      // A gateway before this one may have posted a preview.
      reply.message = undefined;
      return "no-view";
    }
    yield* failed(reply, answer.error, facts, shows.minIntervalMs);
    return undefined;
  }
  yield* ask((io) => io.tell({ type: "previewed" }));
  // A message that was found again may show an older text.
  const isCertain = reply.message?.state !== "posted" || reply.message.shown !== undefined;
  reply.shown(isCertain ? { text, line } : { text: "" }, yield* ask((io) => io.elapsed()), shows.minIntervalMs);
  return undefined;
}

function hidden(reply: GrowingReply): undefined {
  reply.hide();
  return undefined;
}

/**
 * Stores the intent before the call and the id after it, so that the final text becomes an edit of this message. If nothing
 * was posted, nothing is stored: the final text is posted under a key of its own.
 */
function* post(reply: GrowingReply, call: Call): Steps<Answer> {
  const { turnId } = reply;
  yield* ask((io) => io.savePreview(turnId, { state: "posting" }));
  const answer = yield* write(reply, call);
  const { message } = reply;
  if (message?.state === "none") {
    // While the store still says so, it may have been posted.
    reply.message = { state: "unknown", key: previewKey(turnId) };
    yield* ask((io) => io.forgetPreview(turnId));
    reply.message = message;
  }
  if (message?.state !== "posted") return answer;
  const { messageId } = message;
  yield* ask((io) => io.savePreview(turnId, { state: "posted", messageId }));
  return answer;
}

function* write(reply: GrowingReply, call: Call): Steps<Answer> {
  const at = reply.message ?? { state: "none" };
  reply.message = begun(at, call);
  const answer = yield* ask((io) => io.call(call));
  reply.message = afterCall(at, call, answer);
  return answer;
}

function* failed(reply: GrowingReply, error: GatewayError, { recognises }: PlaceFacts, pauseMs: number): Steps<void> {
  if (reply.message?.state === "unknown" && !recognises) reply.hide();
  reply.failed(error, yield* ask((io) => io.elapsed()), pauseMs);
}
