import type { Conversation } from "./conversation.ts";
import type { UserId } from "./ids.ts";
import type { Mandate, Sender } from "./sender.ts";
import type { Asker } from "./settled-call.ts";

/** The toolsets that a route can name, besides `mcp_<server>` for the tools of a server. `own`: the operator's tool files. */
export const toolsetsOfRoutes = ["files", "terminal", "code", "web", "browser", "media", "messages", "own"] as const;

/**
 * What a turn may do on an owner's behalf: undefined unless everything in it came signed over a route with a mandate of the same
 * owner. Of several mandates, what they share.
 */
export function mandateOf(askers: readonly Asker[]): Mandate | undefined {
  const mandates = askers.map(({ sender, role }) =>
    role === "owner" && sender.role === "system" && sender.assurance === "signed" ? sender.mandate : undefined,
  );
  const [first] = mandates;
  if (first === undefined || mandates.some((one) => one?.owner !== first.owner)) return undefined;
  const isShared = (name: string) => mandates.every((one) => one?.toolsets.includes(name));
  return { owner: first.owner, toolsets: first.toolsets.filter(isShared) };
}

/**
 * The role that each of them brings into a turn. Without a mandate that counts, such as two of different owners, a route has what
 * every other route has: an owner's role comes with the toolsets that limit it, or not at all.
 */
export function rolesIn(askers: readonly Asker[]): readonly (Pick<Asker, "role"> & Pick<Sender, "assurance">)[] {
  const hasMandate = mandateOf(askers) !== undefined;
  return askers.map(({ sender: { role: kind, assurance }, role }) => ({
    role: role === "owner" && kind === "system" && !hasMandate ? "member" : role,
    assurance,
  }));
}

/** Whether that is where the owner of a mandate is asked. */
export function isHomeOf(
  { owner }: Pick<Mandate, "owner">,
  home: { readonly userId: UserId; readonly conversation: Pick<Conversation, "platform"> },
): boolean {
  return owner === `${home.conversation.platform}:user:${home.userId}`;
}
