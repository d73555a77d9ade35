import {
  type AskedCall,
  askersOf,
  holdsInstructions,
  type Tool,
  type TranscriptEntry,
  type Verdict,
} from "@talaria/agent";
import {
  type Aim,
  bringsContent,
  decide,
  type Grant,
  grantOfferFor,
  matchesGrant,
  type PolicyDecision,
  type PolicyRequest,
  type PolicySettings,
  placeOf,
  policyTable,
  rightsOf,
  type ShownCall,
  shownCall,
  taintOf,
  taintRule,
} from "@talaria/policy";
import {
  type AskedWords,
  type Clock,
  type Conversation,
  coversHost,
  type Derived,
  instantOf,
  isHomeOf,
  type Mandate,
  mandateOf,
  mostTaintSources,
  rolesIn,
  type Target,
} from "@talaria/protocol";
import type { Home } from "@talaria/store";
import { english, furtherLanguages, type Words, wordsFor } from "@talaria/words";
import { isKnownAddress } from "./known-addresses.ts";
import { ownWordsIn } from "./own-words.ts";
import { taintWords } from "./taint-words.ts";
import { isToldByOthers } from "./told-by-others.ts";

export interface AuthoriseOptions {
  readonly policy: PolicySettings & { readonly approvals: { readonly expiresMinutes: number } };
  /** Where commands run. Absent: nowhere. */
  readonly commands?: CommandReach;
  readonly clock: Pick<Clock, "now">;
}

export interface CommandReach {
  readonly isSandboxed: boolean;
  /** Of every command, whatever it names. */
  readonly hasNetwork: boolean;
  /** Hosts that the operator has opened: to commands that name them, and to programs of the operator's own. */
  readonly openHosts?: readonly string[];
}

/** What people have said before a call is decided. */
export interface Agreed {
  /** What they have agreed to for this session. */
  readonly grants: readonly Grant[];
  /** Where owners are asked. Matters only to turns on an owner's behalf. */
  readonly homes: readonly Home[];
}

/** As `Authorise`, with what people have said before. */
export type AuthoriseWith = (asked: AskedCall, agreed: Agreed) => Verdict;

/** What untrusted content a transcript holds, whatever rights a turn has that will read it. */
export function taintIn(
  entries: readonly TranscriptEntry[],
  tools: ReadonlyMap<string, Tool>,
  options: Pick<AuthoriseOptions, "commands">,
): Derived["taint"] {
  return taintOf(entries, {
    role: "unverified",
    isTrustedTool: trustedAmong(tools, options),
    isOwn: ownWordsIn(entries),
  }).sources;
}

/** What the configuration's policy says to a call: with the rights of the weakest who asked, and after what the model has read. */
export function createAuthorise(options: AuthoriseOptions): AuthoriseWith {
  const table = policyTable(options.policy);
  const expiresMs = options.policy.approvals.expiresMinutes * 60_000;
  return (asked, { grants, homes }) => {
    const { tool, call, conversation } = asked;
    const targets = targetsOf(tool, asked.input, options).map((target) => withKnown(target, asked));
    const askers = asked.askers ?? askersOf(asked.journal);
    const mandate = mandateOf(askers);
    const role = rightsOf(rolesIn(askers));
    const tellers = [...asked.tools.values()].filter((one) => isToldByOthers(tool, [one], table));
    const sources = taintOfCall(asked, role, options);
    const request: PolicyRequest = {
      tool: tool.name,
      effect: tool.effect,
      permissions: tool.permissions,
      targets,
      place: placeOf(conversation),
      role,
      ...taintFor(sources, tellers.length > 0, asked.tools),
      ...aimOf(tool, asked.input),
    };
    const decision = decide(request, table);
    const { id: rule, text } = decision.rule;
    switch (decision.decision) {
      case "allow":
        return { decision: "allow", rule };
      case "deny":
        return { decision: "deny", rule, reason: text };
      case "ask": {
        const unasked = nobodyToAsk(conversation, mandate, request, homes);
        if (unasked !== undefined) return unasked;
        if (mandate === undefined && grants.some((grant) => matchesGrant(grant, request, decision)))
          return { decision: "allow", rule: "granted" };
        const say = (words: Words) =>
          shownCall(call, targets, words.callPhrases, {
            words: tool.inWords?.(asked.input, words.callHeadlines),
            why: whyAsked(decision, sources, tellers, asked, words),
          });
        const here = wordsFor({ conversation, sender: askers[0]?.sender });
        const shown = say(here);
        // On an owner's behalf each call is asked about: no agreement covers it.
        const offer = mandate === undefined ? grantOfferFor(request, decision, shown, english.callPhrases) : undefined;
        return {
          decision: "ask",
          rule,
          shown: shown.text,
          words: inEveryLanguage(say),
          approver: decision.approver ?? "owner",
          expiresAt: instantOf(options.clock.now() + expiresMs),
          ...(offer === undefined ? {} : { offer }),
        };
      }
      default:
        return decision.decision satisfies never;
    }
  };
}

const nobodyThere: Verdict = {
  decision: "deny",
  rule: "nobody-there",
  reason:
    "This needs somebody to agree, and nobody reads a webhook's conversation. The operator can name whom to ask: `onBehalfOf` of its route.",
};

const oneAnswer: Verdict = {
  decision: "deny",
  rule: "one-answer",
  reason:
    "This needs somebody to agree, and you were called into this chat for one answer: nobody can be asked here. Say that they can write to you directly for it.",
};

/** What is decided where a question would reach nobody. */
function nobodyToAsk(
  { guest }: Conversation,
  mandate: Mandate | undefined,
  { place }: PolicyRequest,
  homes: readonly Home[],
): Verdict | undefined {
  if (guest) return oneAnswer;
  if (mandate === undefined) return place === "webhook" ? nobodyThere : undefined;
  return homes.some((home) => isHomeOf(mandate, home)) ? undefined : homeless(mandate);
}

function homeless({ owner }: Mandate): Verdict {
  return {
    decision: "deny",
    rule: "no-home",
    reason: `This needs ${owner} to agree, and there is nowhere to ask them: they have to write /sethome to the agent in a direct conversation first.`,
  };
}

/** Whether a call follows words that nobody of this role has said. */
export function hasTaint(...asked: Parameters<typeof taintOfCall>): boolean {
  return taintOfCall(...asked).length > 0;
}

/** What untrusted content a call follows, for turns of this role. */
export function taintOfCall(
  { history, journal, tools, system = "" }: AskedCall,
  role: ReturnType<typeof rightsOf>,
  options: Pick<AuthoriseOptions, "commands">,
): Derived["taint"] {
  const isTrustedTool = trustedAmong(tools, options);
  // A stranger may have written what a file of the workspace says to agents.
  const prompt = holdsInstructions(system) ? [{ kind: "prompt", name: "workspace", isUntrusted: true }] : [];
  const isOwn = ownWordsIn([...history, ...journal]);
  return taintOf([...prompt, ...history, ...journal], { role, isTrustedTool, isOwn }).sources;
}

/** A list that is full may have left something out. */
function taintFor(
  sources: Derived["taint"],
  isTold: boolean,
  tools: AskedCall["tools"],
): Pick<PolicyRequest, "isTainted" | "isOnlyTold" | "isTold" | "isOnlyRan"> {
  const isCommand = ({ kind, name }: Derived["taint"][number]) => {
    const tool = kind === "tool" ? tools.get(name) : undefined;
    if (tool === undefined || tool.isForeign === true || tool.makesCalls === true) return false;
    return tool.permissions.includes("exec");
  };
  const isOnlyRan = sources.length < mostTaintSources && sources.every(isCommand);
  const hasRead = sources.length > 0;
  return { isTainted: hasRead || isTold, isOnlyTold: !hasRead, isTold, isOnlyRan };
}

function trustedAmong(tools: ReadonlyMap<string, Tool>, options: Pick<AuthoriseOptions, "commands">) {
  return (name: string) => {
    const tool = tools.get(name);
    return tool !== undefined && !bringsContent(tool.permissions, commandTargets(tool, { command: "" }, options));
  };
}

/** What an agreement to calls of a stranger's tool is for, where they change something. */
function aimOf({ describedBy, effect, aim }: Tool, input: unknown): { readonly aim?: Aim } {
  return describedBy === undefined || effect === "read" ? {} : { aim: aim?.(input) ?? "unnamed" };
}

/** Whoever decides may speak any language, and may be asked later. */
function inEveryLanguage(say: (words: Words) => ShownCall): AskedWords {
  const others = [...furtherLanguages()].map(([tag, words]) => [tag, say(words).words] as const);
  return { ...say(english).words, ...(others.length > 0 && { inLanguages: Object.fromEntries(others) }) };
}

/** Of a rule of ours. */
function ruleReason(id: string, { rules }: Words["reasons"]): string | undefined {
  const name = id.replace(/\.(?:owner|member|guest|route)$/, "");
  return Object.entries(rules).find(([known]) => known === name)?.[1];
}

function whyAsked(
  decision: PolicyDecision,
  sources: Derived["taint"],
  tellers: readonly Tool[],
  asked: AskedCall,
  words: Words,
): string {
  const { id, text } = decision.rule;
  const { tool } = asked;
  const { reasons } = words;
  const reason =
    id === taintRule.id
      ? taintWords(sources, tellers, asked, words, tool.permissions.includes("memory"))
      : (ruleReason(id, reasons) ?? text);
  const origin = ownOrigin(tool, decision, sources.length === 0 ? tellers : []);
  return origin === undefined ? reason : `${reason} ${reasons.ownServer(origin)}`;
}

/**
 * The MCP server whose operator may spare themselves such questions: about what it is only asked for, and about all that goes out where
 * `tellers`, tools that strangers describe, are the one reason.
 */
function ownOrigin(
  { describedBy, effect }: Tool,
  { rule, approver, asks }: PolicyDecision,
  tellers: readonly Tool[],
): string | undefined {
  if (rule.id !== taintRule.id || approver !== "owner") return undefined;
  const isRead = describedBy !== undefined && effect === "read";
  const isAlone = asks.every(({ act: { target } }) => target?.kind === "url" && target.url === describedBy);
  const own = tellers.length > 0 ? tellers.map((one) => one.describedBy) : isRead && isAlone ? [describedBy] : [];
  const [origin, ...others] = new Set(own.map(originOf));
  return others.length > 0 ? undefined : origin;
}

function originOf(url = ""): string | undefined {
  return /^https?:/.test(url) && URL.canParse(url) ? new URL(url).origin : undefined;
}

/** A tool knows the address, the worker what the session has read. */
function withKnown(target: Target, { history, journal }: AskedCall): Target {
  if (target.kind !== "url" || target.isKnown !== undefined) return target;
  return { ...target, isKnown: isKnownAddress(target.url, [...history, ...journal]) };
}

/** What a call touches: a tool knows its arguments, the worker where commands run. */
export function targetsOf(
  tool: Pick<Tool, "name" | "permissions" | "targets" | "isForeign">,
  input: unknown,
  options: Pick<AuthoriseOptions, "commands">,
): readonly Target[] {
  const given = tool.targets?.(input) ?? [];
  const commands = given.filter((target) => target.kind === "command");
  const others = given.filter(({ kind }) => kind !== "command").flatMap((target) => withOpen(target, options));
  // A tool that runs commands of its own names none.
  const run = commands.length > 0 || !tool.permissions.includes("exec") ? commands : [{ command: tool.name }];
  return [...others, ...run.flatMap((command) => commandTargets(tool, command, options))];
}

/** Where every command has a network, nothing is opened for one. */
function withOpen(target: Target, { commands }: Pick<AuthoriseOptions, "commands">): readonly Target[] {
  if (target.kind !== "url" || target.host === undefined) return [target];
  if (commands?.hasNetwork === true) return [];
  return [{ ...target, isOpen: coversHost(commands?.openHosts ?? [], target.host) }];
}

/** A tool knows the command and its hosts, the worker where it runs. The operator's own programs name none: they have the open ones. */
function commandTargets(
  { permissions, isForeign }: Pick<Tool, "permissions" | "isForeign">,
  { command, hosts }: Pick<Extract<Target, { readonly kind: "command" }>, "command" | "hosts">,
  { commands = { isSandboxed: false, hasNetwork: true } }: Pick<AuthoriseOptions, "commands">,
): readonly Target[] {
  if (!permissions.includes("exec")) return [];
  const { isSandboxed, openHosts = [] } = commands;
  const hasNetwork = commands.hasNetwork || (isForeign === true && openHosts.length > 0);
  return [{ kind: "command", command, isSandboxed, hasNetwork, ...(hosts && !hasNetwork && { hosts }) }];
}
