import { type InboundEvent, isAtLeast, type Role, type SessionKey } from "@talaria/protocol";
import type { DirectSettlement } from "@talaria/store";
import { wordsFor } from "@talaria/words";
import type { GivenCommand } from "./commands.ts";
import { refusal, settlement } from "./decide.ts";

/** What `/trust files` does: an owner ends that the files of this conversation count as strangers' words. */
export function trustFiles(
  command: GivenCommand,
  event: InboundEvent,
  sessionKey: SessionKey,
  role: Role,
): DirectSettlement {
  const { notices } = wordsFor(event);
  if (command.argument?.trim().toLowerCase() !== "files") return settlement(command, event, notices.trustUsage);
  if (event.sender.role !== "person" || !isAtLeast(role, "owner")) return refusal(event, notices.mayNotDecide("owner"));
  return {
    ...settlement(command, event, notices.filesTrusted),
    idleMarkdown: notices.noMarkedFiles,
    effect: { kind: "trust_files", sessionKey },
  };
}
