import type { AdmissionReason } from "@talaria/sessions";
import type { Became, RecentEvent, Reply } from "@talaria/store";
import { durationText } from "../duration-text.ts";
import { failureWords } from "./failure-words.ts";
import { typedWord } from "./place-words.ts";

/** What an operator has mended, or time has, since a message came. */
export interface Since {
  /** When a model has answered last, where none is in trouble now. */
  readonly answeredAt?: string;
  /** Whoever wrote it may talk to the agent by now. */
  readonly isIn?: boolean;
  /** Of `limits.spending` none is reached now. */
  readonly isNoLimitReached?: boolean;
}

/** What became of a message, in one sentence with what an operator can do about it. Names none of its words. */
export function becameWords(event: RecentEvent, since: Since = {}): string {
  const { became } = event;
  switch (became.state) {
    case "refused":
    case "ignored":
      return refusedWords(event, became, since.isIn === true);
    case "command":
      if (became.reason === "mistyped") return "close to the name of a command: they were asked which they meant";
      return `a command, carried out at once (${became.reason.replace(/^command:/, "/")})`;
    case "dropped":
      if (became.reason === "spending_limit" && since.isNoLimitReached === true) return droppedThen;
      return `dropped: ${(drops[became.reason] ?? otherwise)(event, became.reason)}`;
    case "waiting":
      return waits[became.for](event, became.for);
    case "running":
      if (became.isAsking) return "waits for somebody's decision: `talaria status` lists the question";
      return `is being answered since ${timeOf(became.since)}`;
    case "ended":
      return endedWords(event, became, since);
    default:
      return became satisfies never;
  }
}

const droppedThen =
  "dropped: a limit of limits.spending was reached then, and none is any more; it has to be written again";

function refusedWords(event: RecentEvent, { state, reason, later }: Settled, isIn: boolean): string {
  if (later === "taken_up") return "refused at first, and taken up when they were let in: see below";
  const press = event.isPress === true ? " a press of a button" : "";
  if (later === "let_in" || (isIn && reason === "not_allowed")) {
    const who = reason === "group_not_allowed" ? "the group was" : "they were";
    if (press !== "") return `refused then,${press} before ${who} let in`;
    return `refused then, before ${who} let in: it has to be written again`;
  }
  const why = ((reasons as Readonly<Record<string, Words>>)[reason] ?? otherwise)(event, reason);
  return `${state}${press && `,${press}`}: ${why}`;
}

type Settled = Extract<Became, { readonly state: "command" | "ignored" | "refused" }>;

type Words = (event: RecentEvent, reason: string) => string;

const otherwise: Words = (_, reason) => reason.replaceAll("_", " ");
const key = ({ accountId }: RecentEvent) => `accounts.${accountId}`;
const retry = ({ sessionKey }: RecentEvent) => `\`talaria retry ${typedWord(sessionKey ?? "")}\``;
const approve = ({ senderId }: RecentEvent) => `\`talaria people add ${typedWord(senderId)}\` lets them in`;

const reasons: Readonly<Record<AdmissionReason, Words>> = {
  group_not_allowed: ({ accountId, conversationId }) =>
    `the group is not let in; \`talaria groups allow ${typedWord(`${accountId}/${conversationId}`)}\` lets it in`,
  not_allowed: (event) =>
    `they are on no list; add "${event.platform ?? "<platform>"}:user:${event.senderId}" to ${key(event)}.access.allow`,
  pairing_code: (event) => `a stranger, who was given a code; ${approve(event)}`,
  pairing_waiting: (event) => `a stranger, who has a code and waits; ${approve(event)}`,
  pairing_full: () => "a stranger, while too many others wait; `talaria people` lists them",
  pairing_ignored: (event) => `a stranger whom an owner ignores for a day; ${approve(event)}`,
  pairing_blocked: (event) => `a stranger whom an owner has blocked; ${approve(event)}`,
  pairing_removed: (event) => `they had access, and somebody has removed it; ${approve(event)}`,
  account_off: (event) =>
    `${key(event)}.access.${event.kind === "direct" || event.kind === undefined ? "direct or groups" : "groups"} is off`,
  unverified_sender: () => "nobody has verified who sent it, so that anybody could pretend to be them",
  no_sender_id: () => "the platform did not say who sent it",
  too_long: () => "it is longer than limits.textChars, and they were told",
  unknown_account: (event) => `account ${event.accountId} is not in the configuration`,
  needs_member: () => "a command that only people who are let in may give",
  may_not_decide: () => "they may not decide the question",
  too_old: (event) => `it was older than ${key(event)}.catchUp.maxAgeMs when it arrived; it has to be written again`,
  not_addressed: () => "said among others and not to the agent: it has to be mentioned or answered",
  from_bot: (event) => `by another bot; ${key(event)}.access.bots lets them in`,
  from_system: () => "a message of the platform itself",
  reaction: () => "a reaction, which asks for no answer",
  empty: () => "nothing is in it",
  bot_loop: (event) => `bots were answered as often as ${key(event)}.access.maxBotTurns allows; a person has to write`,
  mail_loop: () => "twenty of their mails were answered within an hour, which is the most",
};

const drops: Readonly<Record<string, Words>> = {
  spending_limit: () => "a limit of limits.spending is reached; `talaria status` shows which, `/lift` lifts it",
  pairing_blocked: reasons.pairing_blocked,
  stopped: () => "somebody stopped what waited (/stop)",
  set_aside: (event) => `given up, since workers kept failing with it; ${retry(event)} tries again`,
};

const waits: Readonly<Record<Extract<Became, { state: "waiting" }>["for"], Words>> = {
  retry: (event) => `waits in a session that was given up; ${retry(event)} tries again`,
  turn: () => "waits behind the answer that is being written in its conversation",
  parts: () => "waits for its files or further parts",
  worker: () => "waits for a worker; `talaria status` says whether one runs",
};

function endedWords(
  event: RecentEvent,
  { outcome, reason, at, isLast, reply }: Extract<Became, { state: "ended" }>,
  { answeredAt }: Since,
): string {
  const took = durationText(Math.max(0, Date.parse(at) - Date.parse(event.recordedAt)));
  if (outcome === "aborted") {
    if (reason === "spending_limit") return `stopped after ${took}: ${drops.spending_limit?.(event, reason)}`;
    return `stopped after ${took} (${reason ?? "by somebody"})`;
  }
  if (outcome === "failed") {
    const known = failures[reason ?? ""] ?? `it ended with ${(reason ?? "no reason").replaceAll("_", " ")}`;
    const why =
      answeredAt !== undefined && answeredAt > at ? known.replace(mends, overWords(event, isLast === true)) : known;
    return `failed after ${took}: ${why}; ${replyWords(event, reply, "they were told")}`;
  }
  return `answered after ${took}, ${replyWords(event, reply, "delivered")}`;
}

const mends = "`talaria status` names the model and what mends it";
const isOver = "which is over by now";
const retryRoles: ReadonlySet<string | undefined> = new Set(["member", "owner", undefined]);

/** Only the last message of a conversation is answered by `/retry`, which guests of a group may not give. */
function overWords({ kind, senderId, conversationId, role }: RecentEvent, isLast: boolean): string {
  if (!isLast) return isOver;
  const isDirect = kind === "direct" || senderId === conversationId;
  const mayRetry = retryRoles.has(role) || (isDirect && role !== "unverified");
  return `${isOver}: ${mayRetry ? "`/retry`, written there, answers it" : "it has to be written again"}`;
}

/** Why a turn failed, by the code of the agent's package. */
const failures: Readonly<Record<string, string>> = {
  auth: `the model's provider refused the key or login, ${mends}`,
  quota: `the model's credit or quota is used up, ${mends}`,
  not_found: `the model's provider does not know it, ${mends}`,
  rate_limit: `the model's provider was asked too often, ${mends}`,
  overloaded: `the model's server was overloaded, ${mends}`,
  server_error: `the model's server reported an error, ${mends}`,
  network: `the model could not be reached, ${mends}`,
  stalled: `the model stopped answering, ${mends}`,
  truncated: `the connection to the model broke, ${mends}`,
  bad_request: "the model's provider rejected the request, the log says why",
  context_full: "it does not fit into the model's window; models.<name>.contextTokens may be too small",
  thought_only: "the model used up its answer thinking; raise models.<name>.maxOutputTokens",
  refusal: "the model declined to answer",
  empty_answer: "the model answered with nothing, twice",
  runaway: "the model went on without an end",
  step_limit: "it reached the limit of steps (agent.maxSteps)",
  output_limit: "it reached the length limit (agent.maxReplyChars)",
  time_limit: "it took longer than agent.turnTimeoutMs",
  repetition: "the agent kept doing the same",
  repeated_failure: "the same action of the agent kept failing",
  crash_loop: "workers kept failing with it, the log says why",
};

function replyWords(event: RecentEvent, reply: Reply, delivered: string): string {
  switch (reply.state) {
    case "sent":
      return reply.isReportedFailed
        ? "sent, and the platform reported later that it did not arrive"
        : `${delivered} at ${timeOf(reply.at)}`;
    case "pending": {
      const { code, reason } = reply;
      if (code === "unauthorized")
        return `not delivered yet: ${event.platform ?? "the platform"} refuses the token or key of account ${event.accountId}; \`talaria status\` says what mends it, and it is sent then`;
      const why = code === undefined ? "" : ` (${failureWords({ code, ...(reason === undefined ? {} : { reason }) })})`;
      return `not delivered yet${why}: it is tried again by itself`;
    }
    case "failed":
      if (reply.error === "not_allowed") return "not delivered, since they may not talk to the agent any more";
      return `not delivered, given up (${reply.error.replaceAll("_", " ")}); ${retry(event)} sends it again`;
    case "withdrawn":
      return "not delivered, since it was withdrawn";
    case "none":
      if (delivered === "delivered") return "without a text";
      return `they were not told${reply.toldAt === undefined ? "" : `: this group was told at ${timeOf(reply.toldAt)}`}`;
    default:
      return reply satisfies never;
  }
}

function timeOf(instant: string): string {
  return `${instant.slice(0, 19)}Z`;
}
