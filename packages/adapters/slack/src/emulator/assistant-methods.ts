import { ApiError } from "./api-error.ts";
import { type Method, threadOf, writableChannel } from "./method.ts";
import { setSession } from "./session-methods.ts";

/** Prompts of one thread (docs.slack.dev/reference/methods/assistant.threads.setSuggestedPrompts). */
const mostPrompts = 4;

/** What an assistant shows beside its messages: the line below a thread, and prompts to choose from. */
export const assistantMethods: Readonly<Record<string, Method>> = {
  "assistant.threads.setStatus"(args, world) {
    const channel = writableChannel(args, world, "channel_id");
    const thread = args.required("thread_ts");
    threadOf(args, channel);
    if (world.hasAgentView) setSession(world, channel.id, thread, args.text("status") === "" ? "active" : "processing");
    return {};
  },
  /** docs.slack.dev/reference/methods/assistant.threads.setTitle */
  "assistant.threads.setTitle"(args, world) {
    const channel = writableChannel(args, world, "channel_id");
    const root = channel.messages.get(args.required("thread_ts"));
    const title = args.required("title");
    if (root?.subtype !== "assistant_app_thread") throw new ApiError("invalid_thread_ts");
    world.titles.set(`${channel.id}/${root.ts}`, title);
    return {};
  },
  "assistant.threads.setSuggestedPrompts"(args, world) {
    const prompts = args.json("prompts");
    const channel = writableChannel(args, world, "channel_id");
    const isAbove = world.hasAgentView && args.text("thread_ts") === "";
    const root = isAbove ? undefined : channel.messages.get(args.required("thread_ts"));
    if (!Array.isArray(prompts) || prompts.length === 0 || prompts.length > mostPrompts)
      throw new ApiError("invalid_arguments", [`[ERROR] between 1 and ${mostPrompts} items [json-pointer:/prompts]`]);
    if (!isAbove && root?.subtype !== "assistant_app_thread") throw new ApiError("invalid_thread_ts");
    world.prompts.set(root?.ts ?? channel.id, { title: args.text("title"), prompts: prompts.map(toPrompt) });
    return {};
  },
};

function toPrompt(value: unknown): { readonly title: string; readonly message: string } {
  const { title, message } = (value ?? {}) as Record<string, unknown>;
  if (typeof title !== "string" || title === "") throw new ApiError("invalid_arguments", ["[ERROR] title"]);
  if (typeof message !== "string" || message === "") throw new ApiError("invalid_arguments", ["[ERROR] message"]);
  return { title, message };
}
