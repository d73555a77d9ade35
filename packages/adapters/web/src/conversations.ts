import type { WebhookRoute } from "@talaria/adapter";
import { GatewayError, type Instant, instantOf } from "@talaria/protocol";
import { z } from "zod";
import type { WebChannel } from "./channel.ts";
import { longestTitle, oneLine, toView } from "./conversation-view.ts";
import { demandOwner } from "./elsewhere.ts";
import { answerJson, checkConversationId, checkTurnId, readAs } from "./inbound.ts";
import { readList } from "./queries.ts";

const maxBodyBytes = 4_096;

const titleSchema = z.strictObject({ title: z.string() });
const readSchema = z.strictObject({
  upTo: z.iso.datetime({ error: "must be an instant like 2026-01-31T12:00:00.000Z" }),
});
const retrySchema = z.strictObject({ turnId: z.string() });

export interface ConversationDeps {
  readonly channel: WebChannel;
  /** Records that somebody wants the answer of this turn anew. */
  readonly retry: (conversationId: string, turnId: string) => Promise<Response>;
}

/** Lists of conversations, and what is done to one as a whole. */
export function conversationRoutes({ channel, retry }: ConversationDeps): readonly WebhookRoute[] {
  const common = { auth: "bearer", maxBodyBytes } as const;
  const one = "/api/conversations/:id" as const;
  return [
    { ...common, method: "GET", path: "/api/conversations", handle: (request) => list(request, channel) },
    { ...common, method: "PATCH", path: one, handle: (request, { id }) => rename(request, id, channel) },
    { ...common, method: "DELETE", path: one, handle: (request, { id }) => forget(request, id, channel) },
    { ...common, method: "POST", path: `${one}/read`, handle: (request, { id }) => read(request, id, channel) },
    {
      ...common,
      method: "POST",
      path: `${one}/retry`,
      handle: async (request, { id }) => {
        const conversationId = checkConversationId(id);
        const turnId = checkTurnId((await readAs(retrySchema, request, maxBodyBytes)).turnId);
        const isNewest = (await channel.retriable(conversationId)) === turnId;
        if (isNewest) return await retry(conversationId, turnId);
        return answerJson(409, { error: "only the newest answer can be tried again, while nothing runs or waits" });
      },
    },
  ];
}

async function list(request: Request, channel: WebChannel): Promise<Response> {
  const query = readList(new URL(request.url).searchParams);
  if (query.all) demandOwner(channel);
  const { chats, ...rest } = await channel.conversations(query);
  return answerJson(200, { conversations: chats.map(toView), ...rest });
}

async function rename(request: Request, id: string | undefined, channel: WebChannel): Promise<Response> {
  const conversationId = checkConversationId(id);
  const given = (await readAs(titleSchema, request, maxBodyBytes)).title;
  const title = oneLine(given, given.length + 1);
  if ([...title].length > longestTitle)
    throw new GatewayError(`title: must have at most ${longestTitle} characters`, { code: "invalid_request" });
  if (title === "" && given !== "")
    throw new GatewayError('title: has nothing that can be seen; "" takes the name away', { code: "invalid_request" });
  const named = found(await channel.name(conversationId, title));
  channel.announce(conversationId);
  return answerJson(200, { id: conversationId, title, ...named });
}

async function forget(request: Request, id: string | undefined, channel: WebChannel): Promise<Response> {
  const conversationId = checkConversationId(id);
  await channel.forget(conversationId, request.signal);
  channel.announce(conversationId);
  return new Response(null, { status: 204 });
}

async function read(request: Request, id: string | undefined, channel: WebChannel): Promise<Response> {
  const conversationId = checkConversationId(id);
  const { upTo } = await readAs(readSchema, request, maxBodyBytes);
  const at: Instant = instantOf(Date.parse(upTo));
  return answerJson(200, found(await channel.read(conversationId, at)));
}

function found<Answer>(answer: Answer | undefined): Answer {
  if (answer !== undefined) return answer;
  throw new GatewayError("there is no such conversation", { code: "not_found" });
}
