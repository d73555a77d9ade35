import { ApiError } from "./api-error.ts";
import { ownMessage } from "./chat-methods.ts";
import { checkBlocks } from "./check-content.ts";
import { type CallArgs, type Method, threadOf, writableChannel } from "./method.ts";
import { setSession } from "./session-methods.ts";
import { toWireMessage } from "./wire.ts";
import type { SessionStatus, StoredMessage, World } from "./world.ts";

/** Longest text of one call. */
const longestPiece = 12_000;

/** Messages that are written piece by piece. */
export const streamMethods: Readonly<Record<string, Method>> = {
  "chat.startStream"(args, world) {
    const channel = writableChannel(args, world);
    const threadTs = threadOf(args, channel);
    if (threadTs === undefined) throw new ApiError("invalid_arguments", ["[ERROR] missing required field: thread_ts"]);
    if (channel.kind !== "im") {
      if (args.text("recipient_team_id") === "") throw new ApiError("missing_recipient_team_id");
      if (!world.users.has(args.text("recipient_user_id"))) throw new ApiError("missing_recipient_user_id");
    }
    const text = pieceOf(args);
    // A stream makes a session and sets it to work; its end sets it to what is asked, or active.
    if (world.hasAgentView) setSession(world, channel.id, threadTs, "processing");
    const message = world.post(channel, world.bot, { text, threadTs, streaming: "open" });
    return { channel: channel.id, ts: message.ts };
  },
  "chat.appendStream"(args, world) {
    const message = streamOf(args, world);
    const piece = pieceOf(args);
    if (piece === "") throw new ApiError("no_text");
    message.text += piece;
    message.edits += 1;
    return { channel: message.channel, ts: message.ts };
  },
  "chat.stopStream"(args, world) {
    const message = streamOf(args, world);
    const blocks = checkBlocks(args.json("blocks"));
    message.text += pieceOf(args);
    message.blocks = blocks;
    message.metadata = args.json("metadata") ?? message.metadata;
    message.streaming = undefined;
    const status = (args.text("session_status") || "active") as SessionStatus;
    if (world.hasAgentView) setSession(world, message.channel, message.threadTs ?? "", status);
    return { channel: message.channel, ts: message.ts, message: toWireMessage(message, world) };
  },
};

function streamOf(args: CallArgs, world: World): StoredMessage {
  const message = ownMessage(args, world, "message_not_owned_by_app");
  if (message.streaming === "stopped") throw new ApiError("stopped_by_user");
  if (message.streaming !== "open") throw new ApiError("message_not_in_streaming_state");
  return message;
}

function pieceOf(args: CallArgs): string {
  const piece = args.text("markdown_text");
  if (piece.length > longestPiece) throw new ApiError("msg_too_long");
  return piece;
}
