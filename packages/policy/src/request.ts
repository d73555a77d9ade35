import {
  type Assurance,
  type Conversation,
  type Permission,
  type Role,
  type Target,
  weakestOf,
} from "@talaria/protocol";
import type { Aim } from "./aim.ts";
import { targetKindOf } from "./target-pattern.ts";

/** Where a turn takes place, as far as rules tell places apart. */
export type Place = "direct" | "group" | "webhook";
export const places: readonly Place[] = ["direct", "group", "webhook"];

/** Everything that a decision depends on. */
export interface PolicyRequest {
  readonly tool: string;
  readonly effect: "read" | "write";
  /** All that the tool declares. */
  readonly permissions: readonly Permission[];
  /** What this call touches. A permission whose targets are missing is judged by the worst that they could be. */
  readonly targets: readonly Target[];
  readonly place: Place;
  /** The weakest of everyone whose words entered the turn: see `rightsOf`. */
  readonly role: Role;
  /** Untrusted content has entered what the model reads: see `taintOf`. */
  readonly isTainted: boolean;
  /** Nothing but what strangers say of their tools has tainted it. */
  readonly isOnlyTold?: boolean;
  /** What strangers say of their tools is part of what has tainted it. */
  readonly isTold?: boolean;
  /** Nothing but what commands have printed has tainted it, besides what strangers say of their tools. */
  readonly isOnlyRan?: boolean;
  /** Absent: `targets` say whom and what the call is for. */
  readonly aim?: Aim;
}

/** One permission of a call with one of its targets. Each is judged alone. */
export interface Act {
  readonly tool: string;
  readonly effect: "read" | "write";
  /** Undefined: the tool declares that it touches nothing. */
  readonly permission: Permission | undefined;
  readonly target: Target | undefined;
  /** In the workspace, in the sandbox, to the conversation that is answered. */
  readonly isInside: boolean;
  /** Gives something to somebody outside: another conversation, a server that gets a body, a command with network. */
  readonly isOutward: boolean;
  /** A command whose network is hosts that it names: each is an act of its own, which is asked about. */
  readonly isNamed?: boolean;
  /** All of a host, for a command. `open`: the operator has opened it to commands. */
  readonly host?: "open" | "asked";
  /** Asks for an address that the model may have put together from what it knows: after taint, that is a way out. */
  readonly isComposed: boolean;
}

/** A webhook's turns are no conversation with a person, whatever its platform calls them. A broadcast has many readers: a group. */
export function placeOf({ platform, kind }: Pick<Conversation, "platform" | "kind">): Place {
  if (platform === "webhook") return "webhook";
  return kind === "direct" ? "direct" : "group";
}

/**
 * The rights of a turn: those of the weakest of everyone whose words entered it. An identity that nobody checked counts as
 * `unverified`, and so does a turn that nobody asked for.
 */
export function rightsOf(requesters: readonly { readonly role: Role; readonly assurance: Assurance }[]): Role {
  const roles = requesters.map(({ role, assurance }) => (assurance === "claimed" ? "unverified" : role));
  return weakestOf(roles) ?? "unverified";
}

const impliedBy: Readonly<Record<Exclude<Target["kind"], "path">, Permission>> = {
  command: "exec",
  url: "net",
  recipient: "send",
  secret: "secret",
};

/** A target counts even if the tool forgot to declare its permission. */
export function actsOf(request: PolicyRequest): readonly Act[] {
  const { tool, effect, targets } = request;
  const permissions = new Set([...request.permissions, ...targets.flatMap((target) => missingFor(target, request))]);
  if (permissions.size === 0) {
    return [
      { tool, effect, permission: undefined, target: undefined, isInside: true, isOutward: false, isComposed: false },
    ];
  }
  return [...permissions].flatMap((permission) => {
    const own = targets.filter(({ kind }) => kind === targetKindOf(permission));
    const given: readonly (Target | undefined)[] = own.length === 0 ? [undefined] : own;
    return given.map((target) => ({ tool, effect, permission, target, ...reachOf(permission, target, effect) }));
  });
}

function missingFor({ kind }: Target, { permissions, effect }: PolicyRequest): readonly Permission[] {
  if (kind !== "path") return [impliedBy[kind]];
  if (permissions.includes("fs.read") || permissions.includes("fs.write")) return [];
  return [effect === "write" ? "fs.write" : "fs.read"];
}

/** What outlives the turn and is read or carried out without it. */
const lasting: readonly (Permission | undefined)[] = ["schedule", "memory"];

/** Whether taint makes the act ask again. What lasts beyond the turn counts as going out. */
export function goesOut({ isOutward, isNamed, isComposed, permission, effect }: Act): boolean {
  return (isOutward && isNamed !== true) || isComposed || (lasting.includes(permission) && effect === "write");
}

type Reach = Pick<Act, "isInside" | "isOutward" | "isNamed" | "host" | "isComposed">;

function reachOf(permission: Permission, target: Target | undefined, effect: "read" | "write"): Reach {
  const inside: Reach = { isInside: true, isOutward: false, isComposed: false };
  if (target === undefined) return reachWithoutTarget(permission, effect);
  if (target.kind === "path") return { ...inside, isInside: target.isInWorkspace };
  if (target.kind === "command") return { ...inside, ...reachOfCommand(target) };
  // Whoever has it there acts in the operator's name.
  if (target.kind === "secret") return { ...inside, isOutward: true };
  if (target.kind === "recipient") return { ...inside, isInside: target.isOrigin, isOutward: !target.isOrigin };
  const host = target.isOpen === true ? "open" : "asked";
  const whole = target.host === undefined ? {} : ({ host } as const);
  return { ...inside, ...whole, isOutward: target.sendsBody, isComposed: target.isKnown !== true };
}

function reachOfCommand({ isSandboxed, hasNetwork, hosts = [] }: Extract<Target, { readonly kind: "command" }>) {
  const isNamed = !hasNetwork && hosts.length > 0;
  return { isInside: isSandboxed, isOutward: hasNetwork || isNamed, isNamed };
}

/** A read of a tool that puts something into the reply stays in the conversation; files are reached through the workspace alone. */
function reachWithoutTarget(permission: Permission, effect: "read" | "write"): Reach {
  if (permission === "exec") return { isInside: true, isOutward: true, isComposed: false };
  if (permission === "net") return { isInside: true, isOutward: effect === "write", isComposed: true };
  if (permission === "send") {
    return { isInside: effect === "read", isOutward: effect === "write", isComposed: false };
  }
  return { isInside: true, isOutward: permission === "secret", isComposed: false };
}
