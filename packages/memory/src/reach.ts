import type { Asker, Conversation, Derived, FactSubject, SessionKey } from "@talaria/protocol";

/** Where a turn stands, as far as memory goes. */
export interface Standing {
  readonly sessionKey: SessionKey;
  readonly conversation: Conversation;
  /** Everyone whose words are in the turn. */
  readonly askers: readonly Asker[];
}

/** What may be seen and changed there. The query of the store knows nothing else. */
export interface Reach {
  readonly subjects: readonly FactSubject[];
  /** `<account>/<conversation>`: of the facts of those subjects, those whose audience has it, or that have none. */
  readonly place: string;
  readonly isPrivate: boolean;
}

/**
 * A direct conversation in which one person alone has spoken has theirs, the workspace's and the agent's; a group its own and the
 * agent's. Where nobody is known for certain, or where we are for one answer only, there is nothing: undefined.
 */
export function reachOf({ sessionKey, conversation, askers }: Standing): Reach | undefined {
  const { platform, accountId, conversationId, kind, guest } = conversation;
  if (platform === "webhook" || guest === true || askers.length === 0) return undefined;
  const place = `${accountId}/${conversationId}`;
  const agent = { scope: "agent", key: "" } as const;
  if (kind !== "direct") return { subjects: [agent, { scope: "group", key: place }], place, isPrivate: false };
  const [person, ...others] = new Set(askers.map(({ sender }) => sender.userId));
  const isCertain = askers.every(({ sender }) => sender.assurance !== "claimed" && sender.role === "person");
  if (person === undefined || others.length > 0 || !isCertain) return undefined;
  const own: FactSubject = { scope: "person", key: `${accountId}/${person}` };
  return { subjects: [agent, own, { scope: "workspace", key: sessionKey }], place, isPrivate: true };
}

/**
 * Who may see what is taught now, besides what its subject says: of the agent's own, the conversation alone where it was said in private or by
 * somebody who is no owner. Everywhere has to be earned.
 */
export function audienceFor(
  { scope }: FactSubject,
  { place, isPrivate }: Reach,
  askers: readonly Asker[],
): Pick<Derived, "audience"> {
  if (scope !== "agent") return {};
  const isForAll = !isPrivate && askers.length > 0 && askers.every(({ role }) => role === "owner");
  return isForAll ? {} : { audience: [place] };
}
