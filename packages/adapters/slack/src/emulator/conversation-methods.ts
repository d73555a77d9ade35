import { ApiError } from "./api-error.ts";
import { type CallArgs, channelOf, type Method, messageOf } from "./method.ts";
import { toWireMessage, toWireUser } from "./wire.ts";
import type { SlackChannel, StoredMessage, World } from "./world.ts";

/** Who we are, where we are, who else is there, and what was said. */
export const conversationMethods: Readonly<Record<string, Method>> = {
  "auth.test": (_args, world) => ({
    url: "https://workshop.slack.com/",
    team: "Workshop",
    user: world.bot.name,
    team_id: world.teamId,
    user_id: world.bot.id,
    bot_id: world.bot.botId,
    is_enterprise_install: false,
  }),
  "users.info"(args, world) {
    const user = world.users.get(args.text("user"));
    if (user === undefined) throw new ApiError("user_not_found");
    return { user: { ...toWireUser(user), ...(args.flag("include_locale") === true && { locale: user.locale }) } };
  },
  "conversations.info": (args, world) => ({ channel: toWireChannel(channelOf(args, world)) }),
  "conversations.open"(args, world) {
    const user = world.users.get(args.required("users"));
    if (user === undefined) throw new ApiError("user_not_found");
    const found = [...world.channels.values()].find(({ kind, members }) => kind === "im" && members.has(user.id));
    const channel = found ?? world.newChannel("im", "", [user]);
    return { channel: { id: channel.id } };
  },
  "conversations.history"(args, world) {
    const channel = readable(args, world);
    return page(
      args,
      world,
      [...channel.messages.values()].filter(({ threadTs }) => threadTs === undefined),
      "newest",
    );
  },
  "conversations.replies"(args, world) {
    const channel = readable(args, world);
    const ts = args.required("ts");
    if (!channel.messages.has(ts)) throw new ApiError("thread_not_found");
    const thread = [...channel.messages.values()].filter((one) => one.ts === ts || one.threadTs === ts);
    return page(args, world, thread, "oldest");
  },
  "reactions.add"(args, world) {
    const { message, name } = reactionOf(args, world);
    if (!world.react(message, world.bot, name)) throw new ApiError("already_reacted");
    return {};
  },
  "reactions.remove"(args, world) {
    const { message, name } = reactionOf(args, world);
    if (!world.unreact(message, world.bot, name)) throw new ApiError("no_reaction");
    return {};
  },
};

function reactionOf(args: CallArgs, world: World) {
  const message = messageOf(readable(args, world), args.required("timestamp"));
  const name = args.required("name");
  if (!/^[a-z0-9_+'-]+(::skin-tone-[2-6])?$/.test(name)) throw new ApiError("invalid_name");
  return { message, name };
}

function readable(args: CallArgs, world: World): SlackChannel {
  const channel = channelOf(args, world);
  if (!channel.members.has(world.bot.id)) throw new ApiError("not_in_channel");
  return channel;
}

/** History comes newest first, a thread oldest first; both with a cursor. */
function page(args: CallArgs, world: World, messages: readonly StoredMessage[], first: "newest" | "oldest"): object {
  const limit = Math.min(Number(args.text("limit") || 100), 999);
  const oldest = args.text("oldest") || "0";
  const latest = args.text("latest") || "9999999999.000000";
  const start = Number(args.text("cursor") || 0);
  const isInclusive = args.flag("inclusive") === true;
  const inRange = messages.filter(
    ({ ts, isDeleted }) => !isDeleted && (isInclusive ? ts >= oldest && ts <= latest : ts > oldest && ts < latest),
  );
  const ordered = first === "newest" ? inRange.toReversed() : inRange;
  const end = start + limit;
  const withMetadata = args.flag("include_all_metadata") === true;
  return {
    messages: ordered.slice(start, end).map((message) => toWireMessage(message, world, { withMetadata })),
    has_more: end < ordered.length,
    response_metadata: { next_cursor: end < ordered.length ? String(end) : "" },
  };
}

function toWireChannel({ id, kind, name, isArchived }: SlackChannel): object {
  if (kind === "im") return { id, is_im: true, is_archived: isArchived };
  return { id, name, is_channel: kind === "channel", is_mpim: kind === "mpim", is_im: false, is_archived: isArchived };
}
