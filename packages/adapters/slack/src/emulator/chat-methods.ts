import { ApiError } from "./api-error.ts";
import { checkContent } from "./check-content.ts";
import { type CallArgs, type Method, messageOf, threadOf, writableChannel } from "./method.ts";
import { toWireMessage } from "./wire.ts";
import type { World } from "./world.ts";

/** Characters that the text of a changed message may have; one beside blocks is only for notifications. */
const longestUpdate = 4_000;

/** Posting, changing and deleting. */
export const chatMethods: Readonly<Record<string, Method>> = {
  "chat.postMessage"(args, world) {
    const channel = writableChannel(args, world);
    const { shown, blocks } = checkContent(args);
    const metadata = checkMetadata(args);
    const unfurls = args.flag("unfurl_links") !== false || args.flag("unfurl_media") !== false;
    const threadTs = threadOf(args, channel);
    const message = world.post(channel, world.bot, { text: shown, blocks, threadTs, metadata, unfurls });
    return { channel: channel.id, ts: message.ts, message: toWireMessage(message, world, { withMetadata: true }) };
  },
  /** docs.slack.dev/reference/methods/chat.postEphemeral: told to nobody, in no history, and no other method finds it. */
  "chat.postEphemeral"(args, world) {
    const channel = writableChannel(args, world);
    const userId = args.required("user");
    if (!channel.members.has(userId)) throw new ApiError("user_not_in_channel");
    const { shown: text } = checkContent(args);
    const threadTs = threadOf(args, channel);
    const ts = world.nextTs();
    world.whispers.push({ channel: channel.id, userId, ts, text, threadTs });
    return { message_ts: ts };
  },
  "chat.update"(args, world) {
    const message = ownMessage(args, world, "cant_update_message");
    if (message.streaming === "open") throw new ApiError("streaming_state_conflict");
    const { text, shown, blocks } = checkContent(args);
    if (blocks.length === 0 && text.length > longestUpdate) throw new ApiError("msg_too_long");
    world.change(message, shown, blocks);
    return { channel: message.channel, ts: message.ts, text: shown };
  },
  "chat.delete"(args, world) {
    const message = ownMessage(args, world, "cant_delete_message");
    world.remove(message);
    return { channel: message.channel, ts: message.ts };
  },
};

export function ownMessage(args: CallArgs, world: World, refusal: string) {
  const message = messageOf(writableChannel(args, world), args.required("ts"));
  if (message.user !== world.bot) throw new ApiError(refusal);
  return message;
}

function checkMetadata(args: CallArgs): unknown {
  const metadata = args.json("metadata");
  if (metadata === undefined) return undefined;
  const { event_type: type, event_payload: payload } = metadata as Record<string, unknown>;
  if (typeof type !== "string" || type === "" || typeof payload !== "object" || payload === null)
    throw new ApiError("invalid_metadata_format");
  return metadata;
}
