import type { Conversation } from "./conversation.ts";
import type { UserId } from "./ids.ts";
import { isAtLeast } from "./role.ts";
import type { Asker } from "./settled-call.ts";

/** Platforms on which some in a group may not read some of its threads. */
const platformsOfPrivateThreads: readonly string[] = ["discord"];

/** Who may find what was said before, and where they ask. */
export interface SearchAsker {
  readonly conversation: Conversation;
  readonly userId: UserId;
  /** In a group: others who may read along there may not read its other threads. */
  readonly hasPrivateThreads: boolean;
}

/**
 * Undefined: what was said before is shown to nobody who asks here. In private that takes one person alone, whom the platform knows; in a
 * group, that nobody among them is unknown to it. Of several, `userId` is the first.
 */
export function searchAskerOf(conversation: Conversation, askers: readonly Asker[]): SearchAsker | undefined {
  const [first] = askers;
  if (first === undefined || conversation.platform === "webhook" || conversation.guest === true) return undefined;
  if (!askers.every(isKnown)) return undefined;
  const isAlone = askers.every(({ sender }) => sender.userId === first.sender.userId);
  if (conversation.kind === "direct" && !isAlone) return undefined;
  const hasPrivateThreads = platformsOfPrivateThreads.includes(conversation.platform);
  return { conversation, userId: first.sender.userId, hasPrivateThreads };
}

function isKnown({ sender, role }: Asker): boolean {
  return sender.role === "person" && sender.assurance !== "claimed" && isAtLeast(role, "guest");
}
