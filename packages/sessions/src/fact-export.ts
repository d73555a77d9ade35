import {
  type AccountId,
  type InboundEvent,
  isGatewayError,
  type OutboundAttachment,
  type UserId,
} from "@talaria/protocol";
import type { DirectSettlement, FactStore, KeptFact } from "@talaria/store";
import { english, type Words, wordsFor } from "@talaria/words";
import type { GivenCommand } from "./commands.ts";
import { settlement } from "./decide.ts";
import type { GateDeps } from "./gate-deps.ts";

const dayChars = "2026-11-20".length;
const mimeType = "text/markdown";

export interface FactExportDeps extends Pick<GateDeps, "keepFile" | "traitsOf"> {
  readonly facts: Pick<FactStore, "about">;
}

/** `/memory export`: all that is kept of whoever writes in private, as a file in that conversation. */
export async function exportFacts(
  command: GivenCommand,
  event: InboundEvent,
  { facts, keepFile, traitsOf }: FactExportDeps,
): Promise<DirectSettlement> {
  const { conversation, sender, receivedAt } = event;
  const { accountId } = conversation;
  const words = wordsFor(event);
  const { factNotices: notices } = words;
  const person = { accountId, userId: sender.userId };
  if (conversation.kind !== "direct") return settlement(command, event, notices.exportInPrivate);
  if (keepFile === undefined || traitsOf?.(accountId)?.send === undefined)
    return settlement(command, event, notices.takesNoFiles(`${accountId}/${sender.userId}`));
  const kept = await facts.about(person);
  if (kept.length === 0) return settlement(command, event, notices.nothing(true));
  try {
    const file = await keepFile(factsFile(kept, person, receivedAt.slice(0, dayChars), words), mimeType);
    const attached: OutboundAttachment = { ...file, name: "memory.md" };
    return withFile(settlement(command, event, notices.exported(kept.length)), attached);
  } catch (error) {
    if (isGatewayError(error, "too_large")) return settlement(command, event, notices.noRoomToExport);
    throw error;
  }
}

/** What a person can read, as Markdown. */
export function factsFile(
  kept: readonly KeptFact[],
  { accountId, userId }: { readonly accountId: AccountId; readonly userId: UserId },
  day: string,
  { factFile }: Pick<Words, "factFile"> = english,
): string {
  return factFile(kept, `${accountId}/${userId}`, day);
}

function withFile(made: DirectSettlement, file: OutboundAttachment): DirectSettlement {
  return made.notice === undefined ? made : { ...made, notice: { ...made.notice, attachments: [file] } };
}
