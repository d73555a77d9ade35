import {
  createDirectChannel,
  getChannel,
  getCurrentUser,
  getGatewayBot,
  getGuildRoles,
  startThread,
  startThreadFromMessage,
  triggerTyping,
} from "./channel-routes.ts";
import { answerInteraction, deleteOriginal, editOriginal, getOriginal, putCommands } from "./interaction-routes.ts";
import {
  addReaction,
  createMessage,
  deleteMessage,
  editMessage,
  getMessage,
  getMessages,
  removeReaction,
} from "./message-routes.ts";
import type { Route } from "./route.ts";

interface RouteEntry {
  readonly method: string;
  /** `:name` parts become parameters. */
  readonly path: string;
  readonly run: Route;
  readonly needsToken?: false;
}

/** Every route the server knows, by the name that faults and calls use. */
const routes = {
  getGatewayBot: { method: "GET", path: "/gateway/bot", run: getGatewayBot },
  getCurrentUser: { method: "GET", path: "/users/@me", run: getCurrentUser },
  getGuildRoles: { method: "GET", path: "/guilds/:guild/roles", run: getGuildRoles },
  createDirectChannel: { method: "POST", path: "/users/@me/channels", run: createDirectChannel },
  getChannel: { method: "GET", path: "/channels/:channel", run: getChannel },
  getMessages: { method: "GET", path: "/channels/:channel/messages", run: getMessages },
  getMessage: { method: "GET", path: "/channels/:channel/messages/:message", run: getMessage },
  createMessage: { method: "POST", path: "/channels/:channel/messages", run: createMessage },
  editMessage: { method: "PATCH", path: "/channels/:channel/messages/:message", run: editMessage },
  deleteMessage: { method: "DELETE", path: "/channels/:channel/messages/:message", run: deleteMessage },
  triggerTyping: { method: "POST", path: "/channels/:channel/typing", run: triggerTyping },
  addReaction: { method: "PUT", path: "/channels/:channel/messages/:message/reactions/:emoji/@me", run: addReaction },
  removeReaction: {
    method: "DELETE",
    path: "/channels/:channel/messages/:message/reactions/:emoji/@me",
    run: removeReaction,
  },
  startThread: { method: "POST", path: "/channels/:channel/threads", run: startThread },
  startThreadFromMessage: {
    method: "POST",
    path: "/channels/:channel/messages/:message/threads",
    run: startThreadFromMessage,
  },
  answerInteraction: {
    method: "POST",
    path: "/interactions/:interaction/:token/callback",
    run: answerInteraction,
    needsToken: false,
  },
  getOriginal: {
    method: "GET",
    path: "/webhooks/:application/:token/messages/@original",
    run: getOriginal,
    needsToken: false,
  },
  editOriginal: {
    method: "PATCH",
    path: "/webhooks/:application/:token/messages/@original",
    run: editOriginal,
    needsToken: false,
  },
  deleteOriginal: {
    method: "DELETE",
    path: "/webhooks/:application/:token/messages/@original",
    run: deleteOriginal,
    needsToken: false,
  },
  putCommands: { method: "PUT", path: "/applications/:application/commands", run: putCommands },
} as const satisfies Record<string, RouteEntry>;

export type DiscordRoute = keyof typeof routes | "download";

export interface FoundRoute {
  readonly name: string;
  readonly run: Route;
  /** Calls of one bucket and channel share a rate limit. */
  readonly bucket: string;
  readonly needsToken: boolean;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The route of a request, or undefined. */
export function findRoute(method: string, path: string): FoundRoute | undefined {
  const parts = path.replace(/^\/api\/v10(?=\/)/, "").split("/");
  if (!path.startsWith("/api/v10/")) return undefined;
  for (const [name, entry] of Object.entries<RouteEntry>(routes)) {
    const parameters = entry.method === method ? match(entry.path.split("/"), parts) : undefined;
    if (parameters) return { name, run: entry.run, bucket: name, needsToken: entry.needsToken !== false, parameters };
  }
  return undefined;
}

function match(pattern: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const part = decodeURIComponent(parts[index] ?? "");
    if (expected.startsWith(":")) parameters[expected.slice(1)] = part;
    else if (expected !== part) return undefined;
  }
  return parameters;
}
