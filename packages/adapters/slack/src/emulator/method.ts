import { ApiError } from "./api-error.ts";
import type { SlackChannel, StoredMessage, World } from "./world.ts";

/** One method of the Web API. Returns what is answered besides `ok: true`, or throws ApiError. */
export type Method = (args: CallArgs, world: World, origin: string) => object;

/** The arguments of one call, as Slack reads them: every one is a text, structures are JSON in a text. */
export class CallArgs {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  text(name: string): string {
    const value = this.#values[name];
    return value === undefined || value === null
      ? ""
      : typeof value === "object"
        ? JSON.stringify(value)
        : String(value);
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === "") throw new ApiError("invalid_arguments", [`[ERROR] missing required field: ${name}`]);
    return value;
  }

  json(name: string): unknown {
    const text = this.text(name);
    if (text === "") return undefined;
    return parsed(text);
  }

  flag(name: string): boolean | undefined {
    const text = this.text(name);
    return text === "" ? undefined : text === "true" || text === "1";
  }
}

/** A channel that the bot may see. */
export function channelOf(args: CallArgs, world: World, name = "channel"): SlackChannel {
  const channel = world.channels.get(args.text(name));
  if (channel === undefined) throw new ApiError("channel_not_found");
  return channel;
}

/** A channel that the bot may write in. */
export function writableChannel(args: CallArgs, world: World, name = "channel"): SlackChannel {
  const channel = channelOf(args, world, name);
  if (channel.isArchived) throw new ApiError("is_archived");
  if (!channel.members.has(world.bot.id)) throw new ApiError("not_in_channel");
  return channel;
}

export function messageOf(channel: SlackChannel, ts: string): StoredMessage {
  const message = channel.messages.get(ts);
  if (message === undefined || message.isDeleted) throw new ApiError("message_not_found");
  return message;
}

/** The thread's first message; undefined when none is asked for. */
export function threadOf(args: CallArgs, channel: SlackChannel): string | undefined {
  const ts = args.text("thread_ts");
  if (ts === "") return undefined;
  if (!/^\d+\.\d{6}$/.test(ts)) throw new ApiError("invalid_thread_ts");
  const root = channel.messages.get(ts);
  if (root === undefined) throw new ApiError("thread_not_found");
  return root.threadTs ?? ts;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return invalidJson();
  }
}

function invalidJson(): never {
  throw new ApiError("invalid_json");
}
