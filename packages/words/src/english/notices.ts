import type { GrantScope, Role } from "@talaria/protocol";
import type { OpenCall } from "@talaria/store";
import { inEnglish } from "../asked-text.ts";
import { listedCalls, undecidedCalls } from "../listed-calls.ts";
import { codeOf, inLines, listed, oneLine } from "../marks.ts";
import type { LeftLimit } from "./limits.ts";
import { atLeast, cutNote, inWords, placeName } from "./spans.ts";

const listIn = { ...inEnglish, cutNote };

const mostExpired = 10;

/** A call that waits for an answer, with how to give it. */
export interface Answerable {
  readonly id: string;
  readonly shown: string;
  readonly words?: OpenCall["words"] | undefined;
  readonly how: string;
  /** Somebody has to approve it: it is shown as it is. */
  readonly isApproval?: boolean;
}

/** A call that waits for approval. */
type Waiting = Pick<OpenCall, "id" | "shown" | "words">;

/** A call that waits in another conversation. */
type Elsewhere = Pick<OpenCall, "id" | "shown" | "words" | "askers" | "route">;

interface Liftable {
  readonly number: string;
  readonly limit: string;
  readonly endsInMs: number;
  readonly liftedForMs?: number | undefined;
}

type Choosable = "model" | "effort";

const whatIs = { model: "model", effort: "effort of thinking" } as const satisfies Record<Choosable, string>;

type Doing = "works" | "asks" | "nothing" | "nothing_in_thread";

const doings = {
  works: "I'm working on an answer.",
  asks: "I'm waiting for an answer.",
  nothing: "Ready.",
  nothing_in_thread: "In the thread itself I have nothing to do.",
} as const satisfies Record<Doing, string>;

const usersOf = { own: "Your", all: "Everybody's" } as const;

type Whose = keyof typeof usersOf;

function answerable(asked: readonly Answerable[]): string {
  const calls = asked.filter(({ isApproval }) => isApproval === true);
  const others = asked.filter(({ isApproval }) => isApproval !== true);
  const lines = others.map(({ id, shown, how }) => `- \`${id}\`: ${sentence(oneLine(shown))} ${how}`);
  return inLines([...(calls.length === 0 ? [] : [listedCalls(calls, listIn, { how: ({ how }) => how })]), ...lines]);
}

function askedBy({ askers, route }: Elsewhere): string {
  const names = askers.map(({ sender }) => codeOf(sender.displayName));
  return `, asked by ${names.length === 0 ? "nobody in particular" : names.join(", ")} in ${placeName(route)}`;
}

function sentence(text: string): string {
  return /[.?!:…]$/.test(text) ? text : `${text}.`;
}

/** Everything that people read and this package writes. Markdown; names no secret and nothing internal. */
export const notices = {
  tooLong: (length: number, max: number) =>
    `Your message is too long: ${length} characters. I can read up to ${max}. Please shorten or split it.`,
  botLimit: (turns: number) =>
    `I have answered other bots ${turns} times in a row here. I'll continue when a person writes to me.`,
  botPace: "I have answered other bots here as often as I may for now. I'll continue later.",
  commandPace: (commands: number) => `I answer at most ${commands} of your commands a minute. Please wait a minute.`,
  mailLimit: (turns: number) =>
    `I have answered ${turns} of your emails within an hour, which is the limit. Please write again later.`,
  /** `count` messages went unanswered since they were older than `ageMs`. */
  unanswered: (count: number, ageMs: number) => {
    const what = count === 1 ? "A message" : `${count} messages`;
    const verb = count === 1 ? "was" : "were";
    return `${what} sent more than ${atLeast(ageMs)} ago ${verb} not answered because I was offline. Please write again if you still need an answer.`;
  },
  needsMember: (command: string) =>
    `Only people who were let in can use \`/${command}\` here, and whoever I'm answering at the moment.`,
  needsProof: (command: string) => `I can't tell who sent this, so \`/${command}\` does nothing.`,
  reset: "Starting a new conversation. I no longer see what was said before; `/resume` lists it.",
  stopped: "Stopped.",
  nothingToStop: "There is nothing to stop.",
  /** Behind one of these: an answer that was written by then. */
  answerWithheld: "The answer that was already written is not sent.",
  answerGoesOut: "An answer that was already written is still sent.",
  becameGroup:
    "A third person has joined this room, so I've ended what we began here in private, and the processes I had started in the background.",
  becameDirect:
    "There is no third person in this room any more, so I've ended what was begun here in the group, and the processes I had started in the background.",
  retrying: "Trying again.",
  nothingToRetry: "There is nothing to retry right now.",
  approved: "Approved.",
  /** What later calls are covered, too. */
  granted: (scope: GrantScope, covers: string) =>
    `Approved, ${scope === "always" ? "from now on" : "for this conversation"}: ${covers}. \`/approvals\` lists it, \`/revoke\` ends it.`,
  notOffered: "That can be approved only this once. Nothing was done.",
  onlyOwnersGrant: "Only an owner can approve something for ever. Nothing was done.",
  /**
   * `brought`: so many questions that wait follow, `more` do not, and so many were asked there before. `people`: what is said of people
   * who wait, or nothing.
   */
  homeSet: ({ brought, more, before }: Record<"brought" | "more" | "before", number>, people: string) => {
    const asks = "I'll ask you here what only an owner may decide, wherever it comes from. `/sethome off` ends it.";
    const set = people === "" ? asks : `${asks}\n\n${people}`;
    const asked =
      before === 0
        ? ""
        : `\n\n${before === 1 ? "A question that I've asked you here before still waits" : `${before} questions that I've asked you here before still wait`}: \`/approvals\`.`;
    if (brought === 0) return `${set}${asked}`;
    const waits = brought === 1 ? "A question waits:" : `${brought} questions wait:`;
    return `${set}${asked}\n\n${waits}${more === 0 ? "" : ` these, and ${more} more: \`/approvals\``}`;
  },
  homeUnset: "I'll no longer ask you here.",
  noHome: "I don't ask you here.",
  ownersHome: "Only an owner can be asked for approvals, in a direct conversation with me.",
  /** In a direct conversation: whoever is an owner on another platform is a stranger on this one. */
  ownersHomeHere:
    "Only an owner can be asked for approvals. If you are one on another platform: `owners` in the configuration needs your id on this one as well, which `/whoami` shows.",
  revoked: "I'll ask again next time.",
  nothingToRevoke: "There is no agreement with that number here. `/approvals` lists them.",
  noChoice: (what: Choosable) => `Only one ${whatIs[what]} is there to choose.`,
  /** `allowed`: what whoever asks may choose. */
  choiceNow: (what: Choosable, now: string | undefined, allowed: readonly string[]) => {
    const counts =
      now === undefined
        ? what === "effort"
          ? "How much the model thinks here is left to the model."
          : "The model here is its provider's own."
        : `The ${whatIs[what]} here is ${codeOf(now)}.`;
    if (allowed.length === 0) return `${counts} Only an owner can choose another.`;
    if (allowed.length === 1 && allowed[0] === now) return `${counts} There is no other to choose.`;
    return `${counts} You can choose ${listed(allowed)}: write \`/${what}\` and one of these; \`/${what} default\` ends that.`;
  },
  unknownChoice: (what: Choosable, wanted: string, allowed: readonly string[]) =>
    `There is no ${whatIs[what]} ${codeOf(oneLine(wanted))} that you can choose. There are ${listed(allowed)}, and \`default\`. Nothing was changed.`,
  /** `isOwn`: for this conversation alone. */
  chosen: (what: Choosable, name: string | undefined, isOwn: boolean) => {
    const which = name === undefined ? "the model's own" : codeOf(name);
    return `From my next answer on, the ${whatIs[what]} here is ${which}${isOwn ? `, also after \`/new\`. \`/${what} default\` ends that.` : " again."}`;
  },
  answersWith: ({ model, effort }: { readonly model: string; readonly effort: string | undefined }) =>
    `Model: ${codeOf(model)}${effort === undefined ? "" : `, effort: ${codeOf(effort)}`}.`,
  lifted: (limit: string) =>
    `I've lifted ${limit} for a day. I answer what it has refused in the last 24 hours, up to 20 messages of each conversation; older ones have to be written again. Work that it stopped goes on when somebody writes "continue".`,
  liftedBefore: (limit: string) => `Nothing was done: ${limit} is lifted already, or is not reached any more.`,
  nothingToLift: (number: string) =>
    `Nothing was done: no limit with the number ${codeOf(oneLine(number).slice(0, 20))} is reached. In a direct conversation with me, \`/lift\` alone lists those that are.`,
  noneReached: "No limit is reached that could be lifted.",
  liftTakes:
    "`/lift` takes the number from a notice about a limit. In a direct conversation with me, `/lift` alone lists what is reached.",
  /** Limits that are reached, and those that are lifted. */
  liftable: (limits: readonly Liftable[]) => {
    const reached = limits.filter(({ liftedForMs }) => liftedForMs === undefined);
    const lines = reached.map((one) => `- \`${one.number}\`: ${one.limit}, goes on in ${inWords(one.endsInMs)}`);
    const lifted = limits.flatMap(({ number, limit, liftedForMs }) =>
      liftedForMs === undefined ? [] : [`- \`${number}\`: ${limit}, for ${inWords(liftedForMs)}`],
    );
    return [
      ...(lines.length === 0
        ? [notices.noneReached]
        : ["Limits that are reached:", lines.join("\n"), "`/lift` with one of these numbers lifts it for a day."]),
      ...(lifted.length === 0 ? [] : ["Lifted:", lifted.join("\n")]),
    ].join("\n\n");
  },
  trustUsage:
    "Files that I wrote, or commands that I ran, after reading what strangers wrote count as strangers' words when I read them again. `/trust files` ends that for the files of this conversation. Nothing was done.",
  filesTrusted:
    "From now on the files here count as yours, and my next command has a new shell. A process that still runs from before marks them again. What I have read in this conversation still counts; `/new` leaves it behind.",
  noMarkedFiles:
    "Nothing was done: no file here counts as a stranger's, or I'm at work. If I am, write `/stop`, and then `/trust files` again.",
  denied: "Denied.",
  withdrawn: "Withdrawn: I won't do it.",
  /** `choice` is one that the question offered. */
  answered: (choice: string) => `Your answer: ${choice}`,
  nothingToAnswer: "No question with that number and choice is waiting here.",
  answeredBefore: "That's already answered, or it has expired.",
  notAsked: "This question is for whoever asked me.",
  nothingToDecide: "Nothing here waits for your approval.",
  nothingWaitsAs: (number: string) =>
    `Nothing waits for your approval as ${codeOf(oneLine(number).slice(0, 20))}. \`/approvals\` lists what does.`,
  perhapsElsewhere: "`/approvals` lists what waits for owners in other conversations.",
  mayNotDecide: (approver: Role) => `Only ${approver === "owner" ? "an owner" : "a member"} can decide that.`,
  waitingHere: (calls: readonly Waiting[]) => (calls.length === 0 ? notices.nothingToDecide : notices.waiting(calls)),
  /** The same of other conversations, with who has asked, and where. */
  waitingElsewhere: (calls: readonly Elsewhere[], more: number) => {
    const lines = listedCalls(calls, listIn, { about: askedBy });
    const rest = more === 0 ? "" : `\n\nAnd ${more} more, which \`/approvals\` lists once these are decided.`;
    return `Waiting for an owner in other conversations:\n\n${lines}${rest}\n\nWrite \`/approve\` or \`/deny\` with one of these numbers.`;
  },
  /** Before somebody approves what they were not shown whole. `scope`: what else they agree to. */
  shownFirst: (call: Elsewhere, scope: GrantScope | undefined) =>
    `Nothing is approved yet. This is the whole call:\n\n${listedCalls([call], listIn, { about: askedBy })}\n\nTo approve it, write \`/approve ${call.id}${scope === undefined ? "" : ` ${scope}`}\` again.`,
  waitElsewhere: (count: number) =>
    `${count === 1 ? "A question waits" : `${count} questions wait`} for you in other conversations: \`/approvals\` lists ${count === 1 ? "it" : "them"}.`,
  decides: (id: string, approver: Role) =>
    `${approver === "owner" ? "An owner" : "A member"} decides: \`/approve ${id}\` or \`/deny ${id}\`.`,
  /** Where words are taken, a number is one: choices are written as they are. */
  answers: (id: string, choices: readonly string[], takesWords: boolean) => {
    const listed = choices
      .map((choice, index) => (takesWords ? oneLine(choice) : `${index + 1}. ${oneLine(choice)}`))
      .join(", ");
    const offered = listed === "" ? "" : ` (${listed})`;
    const taken = takesWords ? `words of their own${listed === "" ? "" : ", or a choice"}` : "the number of a choice";
    return `Whoever asked me answers: \`/answer ${id}\` and ${taken}${offered}.`;
  },
  toBeAnswered: (asked: readonly Answerable[]) => `To be answered:\n\n${answerable(asked)}`,
  waitingForAnswer: (asked: readonly Answerable[]) => `Waiting for your answer:\n\n${answerable(asked)}`,
  /** Calls that wait, each with its number. */
  waiting: (calls: readonly Waiting[]) =>
    `Waiting for approval:\n\n${listedCalls(calls, listIn)}\n\nWrite \`/approve\` or \`/deny\` with one of these numbers.`,
  /** What was agreed to beyond one call, each with its number. */
  grants: (grants: readonly { readonly id: string; readonly scope: GrantScope; readonly covers: string }[]) =>
    `You have agreed to:\n\n${grants.map(({ id, scope, covers }) => `- \`${id}\`: ${covers} (${scope === "always" ? "always" : "this conversation"})`).join("\n")}\n\n\`/revoke\` with one of these numbers ends it.`,
  neverSpoken: "There is no conversation here yet. Write to me, and one begins.",
  searchUsage: "Say what to look for: `/search` and some words, or a phrase in quotes.",
  searchNothing:
    "I found nothing about that. Other words, or fewer, may find it. What was said just now is found some seconds later.",
  searchNowhere: "Here I can't show you what was said before.",
  searchFailed: "That took too long. Fewer words may find it.",
  /** Lines, best first. */
  searchFound: (lines: readonly string[]) => lines.join("\n"),
  didYouMean: (command: string) => `There is no such command. Did you mean \`/${command}\`?`,
  help: (agentName: string, lines: readonly string[]) =>
    `I'm ${agentName}. Write to me and I'll answer.\n\n${lines.join("\n")}`,
  skillsOf: (names: readonly string[]) => `- skills: ${names.map((name) => `\`/${name}\``).join(", ")}`,
  whoAmI: (principal: string, isDirect: boolean, conversationId: string, accountId: string) =>
    `You are \`${principal}\`, in ${isDirect ? "a direct conversation" : "a group"} (\`${conversationId}\`) on account \`${accountId}\`.`,
  /** What somebody may still spend, such as `3 of 10 turns this minute`. */
  spending: (lines: readonly string[]) => `Used: ${lines.join("; ")}.`,
  /** What may still be spent, such as `2 of 40 turns`. */
  left: (limits: readonly LeftLimit[]) => {
    const lines = limits.map(({ whose, what, endsInMs, liftedForMs }) => {
      const renewed = endsInMs === undefined ? "" : `, renewed in ${inWords(endsInMs)}`;
      return liftedForMs === undefined
        ? `- for ${whose}: ${what}${renewed}`
        : `- for ${whose}: no limit for ${inWords(liftedForMs)}, because an owner lifted it; then ${what}${renewed}`;
    });
    return `Left:\n\n${lines.join("\n")}\n\nTokens count by what they cost. Unless the model's price says otherwise, one that I write counts as five, and ten that I read again count as one.`;
  },
  /** `cached`, in per cent, and `cost`, such as `1.23 USD`, are left out where they tell nothing. */
  usage: (
    whose: Whose,
    used: { answers: number; tokens: number; cached: number | undefined; cost: string | undefined },
  ) => {
    const requests = `${used.answers.toLocaleString("en")} request${used.answers === 1 ? "" : "s"} to models`;
    const cached = used.cached === undefined ? "" : ` (${used.cached} % of the input from the provider's cache)`;
    const cost = used.cost === undefined ? "" : ` Cost: ${used.cost}.`;
    return `${usersOf[whose]} usage in the last 30 days: ${requests}, ${used.tokens.toLocaleString("en")} tokens${cached}.${cost}`;
  },
  noUsage: (whose: Whose) => `${usersOf[whose]} usage in the last 30 days: none.`,
  costUnknown: "unknown, since the model has no price in the configuration",
  costInPart: (known: string, unpriced: number) =>
    `${known}, and unknown for ${unpriced.toLocaleString("en")} request${unpriced === 1 ? "" : "s"}`,
  noCost: "I haven't answered anything there that could have cost money.",
  noModelUsed: "That answer has used no model.",
  /** Of one answer. `read` and `written` are tokens, `cached` is in per cent. */
  cost: (one: { isOver: boolean; requests: number; read: number; cached: number; written: number; cost: string }) => {
    const requests = one.requests === 1 ? "1 request" : `${one.requests.toLocaleString("en")} requests`;
    const read = `${one.read.toLocaleString("en")} tokens read (${one.cached} % from the provider's cache)`;
    const used = `${requests} to models, ${read}, ${one.written.toLocaleString("en")} written`;
    return `${one.isOver ? "That answer" : "That answer so far"}: ${used}. Cost: ${one.cost}.`;
  },
  /** In a thread, of the message that it stands below, and beside that of one in the thread. */
  aboutHead: (text: string) => `The message above this thread: ${text}`,
  aboutOwn: (text: string) => `Your last message in it: ${text}`,
  /** `doing`: whether the agent works, or does nothing, perhaps since it waits for people. */
  status: ({ doing: state, waiting }: { doing: Doing; waiting: number }) => {
    const queued = waiting === 1 ? "1 message is waiting." : `${waiting.toLocaleString("en")} messages are waiting.`;
    return waiting === 0 ? doings[state] : `${doings[state]} ${queued}`;
  },
} as const;

/** What the gateway tells people about a call that nobody has decided. */
export const callNotices = {
  expired: (calls: readonly Pick<OpenCall, "shown" | "words">[]) => {
    if (calls.length < 2) return `Nobody has decided in time, so I didn't do this: ${undecidedCalls(calls, listIn)}`;
    const more = calls.length > mostExpired ? `\n\nAnd ${calls.length - mostExpired} more.` : "";
    const first = undecidedCalls(calls.slice(0, mostExpired), listIn);
    return `Nobody has decided in time, so I didn't do these ${calls.length} things:\n\n${first}${more}`;
  },
  /** Of what asks while it runs, in a process that is gone. */
  voidQuestion:
    "A question that waited here is void: what had asked it was interrupted, and nothing reads an answer to it any more.",
} as const;
