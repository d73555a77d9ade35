import {
  type Assurance,
  type Derived,
  isAtLeast,
  mostTaintSources,
  type Permission,
  type Role,
  type TaintSource,
  type Target,
  type UserId,
} from "@talaria/protocol";

/**
 * One thing that the model reads. A transcript's entries have this form. `isUntrusted` says outright what the rest would have to be
 * guessed from, for a note of the memory or a file of the workspace whose origin is known.
 */
export interface Entered {
  readonly kind: string;
  readonly isUntrusted?: boolean;
  /** Of a tool's result: a stranger may have written it, whichever tool brought it. */
  readonly untrusted?: true;
  /** Of a tool's result: the tool was not called, or nobody has answered it. */
  readonly nothingCame?: true;
  /** Of a tool. */
  readonly name?: string;
  readonly sender?: { readonly userId: UserId; readonly assurance: Assurance };
  /** Absent: a guest. */
  readonly role?: Role;
  readonly quote?: {
    readonly userId: UserId;
    readonly own?: true;
    readonly fact?: true;
    readonly markdown?: string;
    readonly attachments?: readonly { readonly voice?: true }[];
  };
  /** Parts of a text that somebody else wrote than its sender. */
  readonly values?: readonly unknown[];
  readonly attachments?: readonly { readonly voice?: true }[];
  /** Of what was made of earlier entries: what those have brought. */
  readonly derived?: Derived;
}

export interface Taint {
  readonly isTainted: boolean;
  /** The first twenty, each once. */
  readonly sources: readonly TaintSource[];
}

export const untainted: Taint = { isTainted: false, sources: [] };

export interface TaintSettings {
  /** The rights of the turn: words of anybody with fewer are not obeyed, so they taint. */
  readonly role: Role;
  /** Whether a tool's result holds only what the agent itself made: see `bringsContent`. */
  readonly isTrustedTool: (name: string) => boolean;
  /** Whether a quote holds nothing but what the agent has said here: that brings nothing new. */
  readonly isOwn: (quote: NonNullable<Entered["quote"]>) => boolean;
}

const ours = new Set(["assistant", "tool.started", "tool.waiting", "call.settled", "note", "cleared"]);

/** What untrusted content the entries hold. A kind of entry that is not known here taints. */
export function taintOf(entries: Iterable<Entered>, settings: TaintSettings): Taint {
  const found = new Map<string, TaintSource>();
  const add = (source: TaintSource) => {
    if (found.size < mostTaintSources) found.set(`${source.kind} ${source.name}`, source);
  };
  for (const entry of entries) for (const source of sourcesIn(entry, settings)) add(source);
  return { isTainted: found.size > 0, sources: [...found.values()] };
}

/**
 * Whether the result of a call may hold words of somebody outside. The session's own workspace, without network, holds only what
 * the session has put there.
 */
export function bringsContent(permissions: readonly Permission[], targets: readonly Target[]): boolean {
  if (permissions.some((one) => one === "net" || one === "conversation.read" || one === "secret")) return true;
  if (targets.some((target) => target.kind === "path" && !target.isInWorkspace)) return true;
  const commands = targets.filter(({ kind }) => kind === "command");
  return permissions.includes("exec") && (commands.length === 0 || commands.some(isOpen));
}

function isOpen(target: Target): boolean {
  if (target.kind !== "command") return false;
  return target.hasNetwork || !target.isSandboxed || (target.hosts ?? []).length > 0;
}

function sourcesIn(entry: Entered, settings: TaintSettings): readonly TaintSource[] {
  if (entry.isUntrusted === false) return [];
  if (entry.isUntrusted === true) return [{ kind: "memory", name: entry.name ?? entry.kind }];
  if (ours.has(entry.kind)) return [];
  if (entry.kind === "overheard") return [{ kind: "overheard", name: entry.sender?.userId ?? "" }];
  if (entry.kind === "user") return sourcesInWords(entry, settings);
  if (entry.kind === "checkpoint" && entry.derived !== undefined) return sourcesInDerived(entry.derived, settings);
  if (entry.kind !== "tool.result") return [{ kind: "unknown", name: entry.kind }];
  const isClean = entry.nothingCame === true || settings.isTrustedTool(entry.name ?? "");
  return entry.untrusted !== true && isClean ? [] : [{ kind: "tool", name: entry.name ?? "" }];
}

/** The words of everybody with fewer rights than the turn has are in it, besides what had tainted already. */
function sourcesInDerived({ taint, askers }: Derived, { role }: TaintSettings): readonly TaintSource[] {
  const weaker = askers.filter(({ sender, role: theirs }) => !isAtLeast(rightsIn(sender.assurance, theirs), role));
  return [...taint, ...weaker.map(({ sender }) => ({ kind: "weaker" as const, name: sender.userId }))];
}

function rightsIn(assurance: Assurance | undefined, role: Role = "guest"): Role {
  return assurance === undefined || assurance === "claimed" ? "unverified" : role;
}

function sourcesInWords(entry: Entered, { role, isOwn }: TaintSettings): readonly TaintSource[] {
  const { sender, quote, values, attachments } = entry;
  const name = sender?.userId ?? "";
  const sources: TaintSource[] = [];
  if (!isAtLeast(rightsIn(sender?.assurance, entry.role), role)) sources.push({ kind: "weaker", name });
  if (quote !== undefined && quote.fact !== true && quote.userId !== name && !isOwn(quote))
    sources.push({ kind: "quote", name: quote.userId });
  if (values !== undefined && values.length > 0) sources.push({ kind: "webhook", name });
  if (hasFiles(attachments)) sources.push({ kind: "attachment", name });
  if (quote !== undefined && hasFiles(quote.attachments)) sources.push({ kind: "attachment", name: quote.userId });
  return sources;
}

/** Speech is the words of whoever recorded it. Nobody can tell whose words stand in other files. */
function hasFiles(attachments: Entered["attachments"] = []): boolean {
  return attachments.some(({ voice }) => voice !== true);
}
