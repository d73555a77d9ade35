import { type InboundEvent, isAtLeast, type Role, type SessionKey } from "@talaria/protocol";
import type { Lacking, OperationsStore } from "@talaria/store";
import { codeOf, oneLine, type Power, type Words, wordsFor } from "@talaria/words";
import { chosenIn, type ModelChoices } from "./model-choices.ts";
import { readRole } from "./role.ts";
import { type LeftLimit, leftLimits, type SpendingTextDeps } from "./spending-text.ts";

/** More are counted, so that all fits a message of Discord, which holds 2,000 characters. */
const most = { tools: 6, broken: 3, limits: 5 } as const;
const longestKey = 60;
const longestReason = 160;

export interface SettingsTextDeps extends SpendingTextDeps {
  readonly choices?: ModelChoices;
  readonly switchedOn?: readonly { readonly what: Power; readonly key: string }[];
  readonly lacking?: () => Promise<readonly Lacking[]>;
  readonly operations: Pick<OperationsStore, "spent" | "session">;
}

/** What `/settings` answers: what counts in this conversation for its sender, each with the key or the command that made it so. */
export async function settingsText(
  event: InboundEvent,
  sessionKey: SessionKey,
  deps: SettingsTextDeps,
): Promise<string> {
  const role = await readRole(event.sender, deps.policy, deps.approved);
  const [session, limits, lacking] = await Promise.all([
    deps.operations.session(sessionKey),
    leftLimits(event, deps),
    deps.lacking?.() ?? [],
  ]);
  const { settingsNotices: notices } = wordsFor(event);
  return [
    roleLine(event, role, deps, notices),
    ...modelLines(session?.chosen ?? {}, deps.choices, notices),
    ...toolLines(event, role, lacking, deps, notices),
    ...answerLines(event, deps, notices),
    ...limitLines(limits, role, notices),
  ].join("\n");
}

type Notices = Words["settingsNotices"];

function roleLine(
  { sender, conversation }: InboundEvent,
  role: Role,
  { policy }: SettingsTextDeps,
  notices: Notices,
): string {
  const of = `accounts.${conversation.accountId}.access`;
  const { access } = policy;
  const isListed = access.allow.users.includes(sender.userId);
  const why = {
    owner: access.proven === "owner" ? notices.signedIn : key("owners"),
    member: isListed ? key(`${of}.allow`) : access.proven === "member" ? notices.signed : "`/people add`",
    guest: key(`${of}.${conversation.kind === "direct" ? `direct: ${access.direct}` : `groups: ${access.groups}`}`),
    unverified: notices.unchecked,
  } as const satisfies Record<Role, string>;
  return notices.role(role, why[role]);
}

function modelLines(
  chosen: Parameters<typeof chosenIn>[0],
  choices: ModelChoices | undefined,
  notices: Notices,
): readonly string[] {
  if (choices === undefined) return [];
  const now = chosenIn(chosen, choices);
  const isChosen = (what: "model" | "effort") => now[what] !== undefined && now[what] === chosen[what]?.name;
  const effortKey = key(`models.${now.model}.effort`);
  return [
    notices.value("model", now.model, isChosen("model") ? "`/model`" : key("agent.model")),
    now.effort === undefined
      ? notices.ownEffort(effortKey)
      : notices.value("effort", now.effort, isChosen("effort") ? "`/effort`" : effortKey),
  ];
}

/** What there is for this person here; what doesn't work stands by itself, with why. */
function toolLines(
  { conversation }: InboundEvent,
  role: Role,
  lacking: readonly Lacking[],
  { switchedOn = [] }: SettingsTextDeps,
  notices: Notices,
): readonly string[] {
  if (role === "guest" || role === "unverified") return [notices.noTools(role)];
  const reasons = new Map(lacking.map((one) => [one.key, one.reason]));
  const reasonOf = (one: { readonly key: string }) => reasons.get(one.key.split(": ")[0] ?? one.key);
  const working = switchedOn.filter((one) => reasonOf(one) === undefined);
  const shown = working.slice(0, most.tools).map((one) => ({ what: one.what, by: key(one.key) }));
  const broken = switchedOn.flatMap((one) => {
    const reason = reasonOf(one);
    return reason === undefined ? [] : [notices.brokenTool(one.what, key(one.key), why(reason, role))];
  });
  return [
    notices.tools(shown, working.length - shown.length, conversation.kind !== "direct"),
    ...broken.slice(0, most.broken),
  ];
}

/** The remedy is the operator's. */
function why(reason: string, role: Role): string {
  const [first = ""] = reason.split("; ");
  return codeOf(
    oneLine(role === "owner" ? reason : first)
      .slice(0, longestReason)
      .toWellFormed(),
  );
}

function answerLines(
  { conversation }: InboundEvent,
  { policy }: SettingsTextDeps,
  notices: Notices,
): readonly string[] {
  const of = `accounts.${conversation.accountId}`;
  const kind = conversation.kind === "direct" ? "direct" : "groups";
  const busy = notices.busy(policy.busy[kind], key(`${of}.busy.${kind}`));
  return kind === "direct"
    ? [busy]
    : [notices.activation(policy.groups.activation, key(`${of}.groups.activation`)), busy];
}

function limitLines(limits: readonly LeftLimit[], role: Role, notices: Notices): readonly string[] {
  if (limits.length === 0) return [notices.noLimits(key("limits.spending"))];
  const shown = limits.slice(0, most.limits).map((limit) => notices.limit(limit, key(limitKey(limit, role))));
  return [...shown, ...(limits.length > shown.length ? [notices.moreLimits(limits.length - shown.length)] : [])];
}

function limitKey({ scope, unit, isDaily }: LeftLimit, role: Role): string {
  const own = role === "owner" ? "owner" : isAtLeast(role, "member") ? "person" : "guest";
  const turns = isDaily ? "turnsPerDay" : "turnsPerMinute";
  const of = { turns, tokens: "tokensPerDay", money: "moneyPerMonth" } as const;
  return `limits.spending.${scope === "person" ? own : scope}.${of[unit]}`;
}

/** A name in it is the operator's, and as long as they like. */
function key(name: string): string {
  return codeOf(oneLine(name).slice(0, longestKey).toWellFormed());
}
