import type { TurnId } from "./ids.ts";
import type { Role } from "./role.ts";
import type { Sender } from "./sender.ts";

/** What a call that is answered later waits for. */
export const waits = ["approval", "child", "process", "timer", "form"] as const;

export type WaitsFor = (typeof waits)[number];

export const settlements = ["approved", "denied", "expired", "cancelled", "answered"] as const;

/** How a wait ended. `approved`: the action runs now, with the arguments as they were shown. */
export type Settlement = (typeof settlements)[number];

/** How long an agreement to one call covers further ones: until the conversation begins anew, or until it is revoked. */
export const grantScopes = ["session", "always"] as const;

export type GrantScope = (typeof grantScopes)[number];

/** What somebody who approves a call may agree to besides. */
export interface GrantOffer {
  readonly scopes: readonly GrantScope[];
  /** What would be covered, as people read it. */
  readonly covers: string;
  /** The same as the policy reads it. */
  readonly terms: Readonly<Record<string, unknown>>;
}

/** Somebody who asked, and what they may do. */
export interface Asker {
  readonly sender: Sender;
  readonly role: Role;
}

/** A tool call that waited and has its answer. */
export interface SettledCall {
  /** The turn that made the call. */
  readonly turnId: TurnId;
  readonly callId: string;
  readonly name: string;
  /** As the model wrote them and people saw them. */
  readonly arguments: string;
  readonly waitsFor: WaitsFor;
  readonly settlement: Settlement;
  /** Who decided. */
  readonly by?: Sender;
  /** The reason, or the answer. */
  readonly content?: string;
  /** What a call that went on beside its turn has brought besides that. The agent, whose journal it becomes part of, checks it. */
  readonly brought?: Readonly<Record<string, unknown>>;
  /** Everyone whose words had entered the turn when it made the call. */
  readonly askers: readonly Asker[];
}
