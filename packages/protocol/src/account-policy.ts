import type { ConversationId, UserId } from "./ids.ts";
import type { Role } from "./role.ts";
import type { SessionScope } from "./session-key.ts";

/** What happens to a message that arrives while its session is busy. */
export type BusyMode = "queue" | "steer" | "interrupt";

/** Who may talk through one account, and how its conversations behave. */
export interface AccountPolicy {
  readonly access: {
    readonly direct: "pairing" | "allowlist" | "open" | "off";
    readonly groups: "allowlist" | "open" | "off";
    /** Compared as whole ids, never by name. */
    readonly allow: { readonly users: readonly UserId[]; readonly groups: readonly ConversationId[] };
    /** Who may do everything, on this platform. Compared as whole ids. */
    readonly owners: readonly UserId[];
    /** The role of every sender, where a token or a signature is checked before an event exists. */
    readonly proven?: Role;
    /** Whether other bots are answered at all, and how many times in a row in one conversation. */
    readonly bots: "off" | "on";
    readonly maxBotTurns: number;
  };
  readonly groups: {
    readonly activation: "mention" | "reply" | "keyword" | "always";
    /** Each has a letter or a digit. Counts with activation `keyword`. */
    readonly keywords: readonly string[];
    /** For how long after the agent's last answer in a thread people there need not name it; 0: they always have to. */
    readonly threadHours: number;
    /** How much of what is said to others is kept until the next message to us; `messages` 0 keeps nothing. */
    readonly ambient: { readonly messages: number; readonly maxAgeMs: number };
  };
  /** What happened longer ago than this when it arrives is not answered; `notice` says whether people are told. */
  readonly catchUp: { readonly maxAgeMs: number; readonly notice: boolean };
  readonly sessions: { readonly direct: SessionScope; readonly groups: SessionScope };
  readonly busy: { readonly direct: BusyMode; readonly groups: BusyMode };
}
