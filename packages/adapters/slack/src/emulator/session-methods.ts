import { ApiError } from "./api-error.ts";
import { type CallArgs, type Method, threadOf, writableChannel } from "./method.ts";
import type { AgentSession, SessionStatus, World } from "./world.ts";

const statuses: readonly string[] = ["active", "processing", "suspended", "closed"] satisfies SessionStatus[];
const longestTitle = 200;

/** Sessions of agents (docs.slack.dev/reference/methods/agents.sessions.setStatus, agents.sessions.rename). */
export const sessionMethods: Readonly<Record<string, Method>> = {
  "agents.sessions.setStatus"(args, world) {
    const { channel, thread } = placeOf(args, world);
    const status = args.required("status");
    if (!statuses.includes(status))
      throw new ApiError("invalid_arguments", ["[ERROR] must be a valid enum value [json-pointer:/status]"]);
    const title = args.text("title");
    if (title.length > longestTitle) throw new ApiError("invalid_arguments", ["[ERROR] title"]);
    const initiator = args.text("initiator_user_id") || undefined;
    if (initiator !== undefined && !channel.members.has(initiator)) throw new ApiError("user_not_in_channel");
    const session = setSession(world, channel.id, thread, status as SessionStatus, { title, initiator });
    return { status: session.status, agent_status: session.status, title: session.title };
  },
  "agents.sessions.rename"(args, world) {
    const { channel, thread } = placeOf(args, world);
    const title = args.required("title");
    if (title.length > longestTitle) throw new ApiError("invalid_arguments", ["[ERROR] title"]);
    const session = world.sessions.get(`${channel.id}/${thread}`);
    if (session === undefined) throw new ApiError("session_not_found");
    session.title = title;
    return { title };
  },
};

/** Makes the session where it is not there. Title and initiator count only then. */
export function setSession(
  world: World,
  channel: string,
  thread: string,
  status: SessionStatus,
  { title = "", initiator }: Partial<Pick<AgentSession, "title" | "initiator">> = {},
): AgentSession {
  const session = world.sessions.get(`${channel}/${thread}`) ?? { status, title, initiator };
  session.status = status;
  world.sessions.set(`${channel}/${thread}`, session);
  return session;
}

/** No document says what an app without an `agent_view` is answered; here it is refused. */
function placeOf(args: CallArgs, world: World) {
  if (!world.hasAgentView) throw new ApiError("access_denied");
  const channel = writableChannel(args, world, "channel_id");
  args.required("thread_ts");
  return { channel, thread: threadOf(args, channel) ?? "" };
}
