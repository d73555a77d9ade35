import type { MessageAccess, PlaceQuery } from "@talaria/agent";
import {
  type AccountId,
  type Asker,
  brandAs,
  type Conversation,
  type DeliveryKey,
  GatewayError,
  searchAskerOf,
} from "@talaria/protocol";
import type { OperationsStore, OutboxText, PlaceSearch, SearchStore } from "@talaria/store";

export interface MessageAccessDeps {
  readonly operations: Pick<OperationsStore, "places">;
  /** Without it, nothing that was said before is found. */
  readonly past?: Pick<SearchStore, "find"> | undefined;
  /** As the holder of the turn's session. */
  readonly say: (text: OutboxText) => Promise<void>;
  /** Tells the gateway that holds the account. Lossy. */
  readonly deliver: (accountId: AccountId) => void;
  /** Where the turn takes place: a person's id means that person on this account. */
  readonly conversation: Conversation;
}

/**
 * The other conversations that a turn can reach. Owners reach each that has been used, members those of their account in which
 * they have written themselves. Whoever else is among the askers, nothing is reached.
 */
export function createMessageAccess(deps: MessageAccessDeps): MessageAccess {
  const { operations, past, say, deliver, conversation } = deps;
  return {
    ...(past && { search: createSearch(past, conversation) }),
    find: async (query) => {
      const participants = participantsOf(query.askers, conversation.accountId);
      return participants === undefined ? [] : await operations.places({ ...searchFor(query), participants });
    },
    send: async ({ key, conversation: to, markdown }) => {
      const deliveryKey = brandAs<DeliveryKey>(`say:${key}`);
      await say({ deliveryKey, kind: "notice", conversation: to, markdown, attachments: [] });
      deliver(to.accountId);
    },
  };
}

function createSearch(
  past: Pick<SearchStore, "find">,
  conversation: Conversation,
): NonNullable<MessageAccess["search"]> {
  return async ({ askers, ...query }) => {
    const asker = searchAskerOf(conversation, askers);
    if (asker === undefined)
      throw new GatewayError("what was said before is not shown here to those who ask", { code: "unsupported" });
    if (query.from === "asker" && askers.some(({ sender }) => sender.userId !== asker.userId))
      throw new GatewayError("several people ask: name the one who said it", { code: "invalid_request" });
    return await past.find(query, asker);
  };
}

/** Who has to take part besides owners. Undefined: somebody among them may reach nothing, or nobody asks. */
function participantsOf(askers: readonly Asker[], accountId: AccountId): PlaceSearch["participants"] | undefined {
  const isLetIn = ({ role, sender }: Asker) =>
    (role === "owner" || role === "member") && sender.assurance !== "claimed";
  if (askers.length === 0 || !askers.every(isLetIn)) return undefined;
  return askers.flatMap(({ role, sender }) => (role === "owner" ? [] : [{ accountId, userId: sender.userId }]));
}

function searchFor({ address, accountId, name, limit }: PlaceQuery): PlaceSearch {
  const about = { limit, ...(accountId === undefined ? {} : { accountId }), ...(name === undefined ? {} : { name }) };
  if (address === undefined) return about;
  const [platform = "", kind, ...rest] = address.split(":");
  const id = rest.join(":");
  return { ...about, platform, ...(kind === "user" ? { userId: id } : { groupId: id }) };
}
