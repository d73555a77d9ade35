import {
  type AccountId,
  type AccountPolicy,
  brandAs,
  type Conversation,
  type DeliveryKey,
  type Sender,
} from "@talaria/protocol";
import type { CallStore, GroupStore, Home, OutboxText } from "@talaria/store";
import { type Words, wordsAt } from "@talaria/words";
import { accessOf, letIn } from "./access.ts";
import type { GateDeps } from "./gate-deps.ts";
import { groupChoices } from "./group-decision.ts";
import { isOwnersPlace } from "./owners-place.ts";

export interface ForeignGroupDeps extends Pick<GateDeps, "deliver" | "policyOf" | "canLeave"> {
  readonly calls: Pick<CallStore, "ownersPlaces" | "notedPlaces">;
  readonly groups: Pick<GroupStore, "isUnasked" | "ask">;
}

/**
 * Somebody writes in a group that is not let in: owners are asked about it, once, where they are told. An owner who writes there themselves
 * is asked like one who adds us.
 */
export async function askAboutGroup(
  { conversation, sender }: { readonly conversation: Conversation; readonly sender: Sender },
  policy: AccountPolicy,
  deps: ForeignGroupDeps,
): Promise<void> {
  if (!(await deps.groups.isUnasked(conversation))) return;
  await ask(conversation, { by: sender, did: "wrote", isOwner: isOwner(sender, policy) }, deps);
}

/**
 * We were brought into a conversation, by `by` where the platform tells who. Resolves once it is stored what owners are asked, if anything;
 * telling it twice asks once.
 */
export async function addedToGroup(
  conversation: Conversation,
  by: Sender | undefined,
  deps: ForeignGroupDeps & Pick<GateDeps, "pairing">,
): Promise<void> {
  const policy = deps.policyOf(conversation.accountId);
  if (policy === undefined || conversation.kind === "direct") return;
  // Whoever adds us is no sender here: what counts is whether the group is let in.
  const nobody: Sender = { userId: brandAs(""), role: "person", displayName: "", assurance: "platform" };
  const access = await accessOf(
    { conversation, sender: nobody },
    policy,
    letIn({ conversation, sender: nobody }, deps.pairing),
  );
  if (access !== "group_not_allowed") return;
  const isAdded = by !== undefined && isOwner(by, policy);
  if (!isAdded && !(await deps.groups.isUnasked(conversation))) return;
  await ask(conversation, { by, did: "added", isOwner: isAdded }, deps);
}

interface Occasion {
  /** Undefined: the platform doesn't tell. */
  readonly by: Sender | undefined;
  readonly did: keyof Words["groupNotices"]["asks"];
  /** Asked like one who has brought us there. */
  readonly isOwner: boolean;
}

async function ask(group: Conversation, { by, did, isOwner }: Occasion, deps: ForeignGroupDeps): Promise<void> {
  const { accountId } = group;
  const places = await placesFor(accountId, isOwner ? by : undefined, deps);
  if (places.length === 0) return;
  const canLeave = deps.canLeave?.(accountId) === true;
  const texts = (id: string) =>
    places.map((place): OutboxText => {
      const { conversation } = place;
      const who = isOwner && by !== undefined && isTheirs(place, by, accountId) ? "you" : by;
      const words = wordsAt(place);
      const { asks, question } = words.groupNotices;
      return {
        deliveryKey: brandAs<DeliveryKey>(`group:${id}:${conversation.accountId}:${conversation.conversationId}`),
        kind: "notice",
        conversation,
        markdown: question(asks[did](group, who), id, canLeave),
        attachments: [],
        choices: groupChoices(id, canLeave, words),
      };
    });
  if (!(await deps.groups.ask({ group, isAdded: isOwner, texts }))) return;
  for (const accountId of new Set(places.map(({ conversation }) => conversation.accountId))) deps.deliver(accountId);
}

/** Whoever has brought us there, in their direct conversation on this account; else wherever owners are told. */
async function placesFor(
  accountId: AccountId,
  by: Sender | undefined,
  { calls, policyOf }: ForeignGroupDeps,
): Promise<readonly Home[]> {
  const places = (await calls.ownersPlaces()).filter((place) => isOwnersPlace(place, policyOf));
  if (by === undefined) return places;
  const isOwn = (place: Home) => isTheirs(place, by, accountId);
  const own = places.find(isOwn) ?? (await calls.notedPlaces()).find(isOwn);
  return own === undefined ? places : [own];
}

function isTheirs({ userId, conversation }: Home, by: Sender, accountId: AccountId): boolean {
  return userId === by.userId && conversation.accountId === accountId;
}

function isOwner({ role, assurance, userId }: Sender, { access }: AccountPolicy): boolean {
  return role === "person" && assurance !== "claimed" && access.owners.includes(userId);
}
