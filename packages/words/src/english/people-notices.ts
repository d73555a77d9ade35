import type { PairingRow, PersonDecision, Standing } from "@talaria/store";
import { isBlank } from "../blank.ts";
import { codeOf, numberOf } from "../marks.ts";
import { plainLine } from "../shown-words.ts";
import { capital, counted, inWords } from "./spans.ts";

/** Characters of a name and of an id in these texts. */
const longest = 40;
const quotationMarks = /["\p{Pi}\p{Pf}„‟〝〞〟＂]/gu;
const nobodyWaits = "Nobody is waiting to talk to me.";
const most = { waiting: 20, others: 10 } as const;

/** What people read about who may talk to the agent: those who ask, and the owners who decide. Markdown. */
export const peopleNotices = {
  asked: (code: string) =>
    `Hi! I only talk to people my owner has let in. I've asked them. If they ask for a code, send them this one within 10 minutes: ${codeOf(code)}`,
  /** No owner has said where to be asked. */
  askThem: (code: string) =>
    `Hi! I only talk to people my owner has let in. Please send them this code within 10 minutes: ${codeOf(code)}\n\nThey let you in with \`talaria people add ${code}\`, or by writing \`/people add ${code}\` to me.`,
  stillWaiting: "Still waiting for my owner.",
  removed: "You no longer have access. Please ask the person who runs me.",
  welcome: {
    all: "You're in. What can I do for you?",
    files: "You're in. Please send your file again: I keep no files before somebody is let in.",
    words: "You're in. Please send your message again: I couldn't keep it.",
  },
  answering: {
    all: "You're in. I'm answering what you wrote.",
    files:
      "You're in. I'm answering what you wrote. Please send your file again: I keep no files before somebody is let in.",
    words:
      "You're in. I'm answering what I could keep: your first 8 messages, without files and without answers to other messages, none over 4,000 characters. Please send the rest again.",
  },
  wantsToTalk: (row: PairingRow) => {
    const n = numberOf(row);
    return `${codeOf(cut(row.userId))} on ${placeOf(row)} wants to talk to me. ${calledThemselves(row)}\n\nTap a button, or write \`/people add ${n}\`, \`/people ignore ${n}\` or \`/people block ${n}\`.`;
  },
  manyWait: (waiting: number, account: string) =>
    `More people want to talk to me: ${waiting} are waiting on ${codeOf(account)}. \`/people\` lists them, \`/people ignore all\` ignores them for a day.`,
  /** Once an hour. Nobody tells the others anything, so that a flood costs no messages. */
  manyLeftOut: (waiting: number, leftOut: number, account: string) =>
    `${waiting} people are waiting on ${codeOf(account)}, so I've answered nothing to others: ${counted(leftOut, "message")} so far. \`/people ignore all\` makes room, and so do 10 minutes. Whoever you expect you can let in by their id: \`/people add ${account}/<id>\`.`,
  /** Below what an owner reads who has said where to be asked. */
  peopleWait: (waiting: number) =>
    `${waiting === 1 ? "Somebody is waiting" : `${waiting} people are waiting`} to talk to me: \`/people\`.`,
  buttons: { add: "Let in", ignore: "Ignore", block: "Block" },
  ownersOnly: "Only an owner can see and decide who talks to me, in a direct conversation with me.",
  takes:
    "`/people` lists who may talk to me and who waits. `/people add`, `ignore`, `block` and `remove` take a number or an id from there, or a code. `add` and `block` also take the id of somebody who isn't there; `ignore all` and `block all` mean everybody who waits.",
  /** `waiting`: those who wait, to be named by their numbers. */
  nobody: (words: string, account: string, waiting: readonly PairingRow[]) =>
    `Nobody in \`/people\` has the number, id or code ${codeOf(cut(words))}; a name isn't enough, since people choose their own. Nothing was done. Somebody who isn't there is let in by their id, as \`/people add ${account}/<id>\`, and blocked with \`block\`. People in the configuration file are changed in that file.${waiting.length === 0 ? "" : `\n\nWaiting to talk to me, each with the number that names them:\n\n${waiting.toReversed().slice(0, most.others).map(line).join("\n")}`}`,
  /** Strangers choose their names. */
  severalMeant: (rows: readonly PairingRow[]) =>
    `That may mean several people, so nothing was done:\n\n${rows.slice(0, most.others).map(line).join("\n")}`,
  gone: "Nothing was done: they're no longer waiting. If they write again, I'll ask you again.",
  /** Of whoever had a code that has expired, or about whom somebody has decided since. */
  codeEnded: (row: PairingRow, verb: string) =>
    row.state === "waiting"
      ? `Nothing was done: that code has ended, since codes hold for 10 minutes. It was that of ${personName(row)}, who still waits: write \`/people ${verb} ${numberOf(row)}\`.`
      : `Nothing was done: that code has ended. ${stands(row)}`,
  noStep: (row: PairingRow) => `Nothing was done: ${stands(row)}`,
  /** Pairing counts there no more. */
  notByPairing: (account: string, direct: string) =>
    `Nothing was done: \`accounts.${account}.access.direct\` is \`${direct}\`, so only the configuration lets people in there.`,
  isListed: ({ accountId, userId }: Pick<PairingRow, "accountId" | "userId">) =>
    `Nothing was done: ${codeOf(cut(userId))} on ${codeOf(accountId)} is in the configuration file, and may talk to me. Only that file can take it back.`,
  added: ({ accountId, userId }: Pick<PairingRow, "accountId" | "userId">) =>
    `${codeOf(cut(userId))} on ${codeOf(accountId)} can talk to me now. They get an answer to what they write from now on.`,
  /** Of whoever is in no list, and wrote in a group, if anywhere. */
  blocked: (one: Pick<PairingRow, "accountId" | "userId"> & { readonly displayName?: string }) =>
    `I've blocked ${nameAndId({ displayName: "", ...one })} on ${codeOf(one.accountId)} for good, in groups as well. To unblock them, write \`/people remove ${one.accountId}/${one.userId}\`.`,
  nobodyWaits,
  doneAll: (to: "ignored" | "blocked", count: number, left: number) => {
    const all = count === 1 ? "one person" : `${count} people`;
    const others = left === 0 ? "" : ` ${left} more wait: write it again.`;
    return to === "ignored"
      ? `I ignore ${all} for a day.${others}`
      : `I've blocked ${all} for good. \`/people remove\` with the number of one unblocks them.${others}`;
  },
  tooLate: "Nothing was done: somebody else was quicker. `/people` shows what they decided.",
  /** `inGroups`: groups of that account answer everybody there. */
  done: (row: PairingRow, to: PersonDecision["to"], inGroups: boolean) => {
    const name = personName(row);
    const n = numberOf(row);
    switch (to) {
      case "approved":
        return `${name} can talk to me now.`;
      case "ignored":
        return `I don't answer ${name}. If they write again after a day, I'll ask you again.`;
      case "blocked":
        return `I've blocked ${name} for good. To unblock them, write \`/people remove ${n}\`.`;
      case "removed":
        return `${name} has no access any more. \`/people add ${n}\` gives it back.${inGroups ? ` Groups that are let in still answer them, as they answer everybody there: \`/people block ${n}\` ends that.` : ""}`;
      case "forgotten":
        return `I've forgotten ${name}. If they write again, I'll ask you.`;
      default:
        return to satisfies never;
    }
  },
  /** `now` is in milliseconds since 1970. */
  list: (rows: readonly PairingRow[], now: number) => {
    const of = (...states: readonly Standing[]) => rows.filter(({ state }) => states.includes(state));
    const waiting = of("waiting");
    const leftOut = waiting.reduce((sum, row) => sum + (row.leftOut ?? 0), 0);
    const parts = [
      waiting.length === 0
        ? nobodyWaits
        : `Waiting to talk to me:\n\n${lines(waiting, most.waiting, now)}\n\nWrite \`/people add\`, \`/people ignore\` or \`/people block\` with one of these numbers, or \`/people ignore all\`.`,
      leftOut === 0
        ? ""
        : `I've answered nothing to ${counted(leftOut, "message")} of others, because too many were waiting. Somebody you expect you can let in by their id: \`/people add <account>/<id>\`.`,
      section("Let in", of("approved"), now),
      section("Ignored for a day", of("ignored"), now),
      section("Blocked", of("blocked"), now),
      section("Removed", of("removed"), now),
      "Owners and people in the configuration are not in this list: `talaria people` shows everybody.",
    ];
    return parts.filter((part) => part !== "").join("\n\n");
  },
} as const;

/** Somebody whom strangers' words name, with the id behind it. */
export function nameAndId({ displayName, userId }: { readonly displayName: string; readonly userId: string }): string {
  const id = codeOf(cut(userId));
  const name = quotedName({ displayName });
  return name === undefined ? id : `${name} (${id})`;
}

/** Strangers' words: as they are, in one line, without anything invisible, in quotation marks that they can't end. */
function personName(row: PairingRow): string {
  const [name, id] = [quotedName(row), codeOf(cut(row.userId))];
  return name === undefined ? `${id} (${placeOf(row)})` : `${name} (${placeOf(row)}, ${id})`;
}

function calledThemselves(row: PairingRow): string {
  const name = quotedName(row);
  return name === undefined ? "They have no name there." : `The name they chose: ${name}.`;
}

function quotedName({ displayName }: Pick<PairingRow, "displayName">): string | undefined {
  const name = cut(displayName.replace(quotationMarks, "'"));
  return isBlank(name) ? undefined : `“${codeOf(name)}”`;
}

function placeOf({ conversation, accountId }: PairingRow): string {
  return conversation === undefined ? codeOf(accountId) : capital(conversation.platform);
}

function section(title: string, rows: readonly PairingRow[], now: number): string {
  return rows.length === 0 ? "" : `${title}:\n\n${lines(rows, most.others, now)}`;
}

function lines(rows: readonly PairingRow[], max: number, now: number): string {
  const newest = rows.toReversed();
  const shown = newest.slice(0, max).map((row) => `${line(row)}, ${since(row, now)}`);
  const more = rows.length - shown.length;
  return [...shown, ...(more === 0 ? [] : [`- and ${more} more: \`talaria people\``])].join("\n");
}

function line(row: PairingRow): string {
  return `- \`${numberOf(row)}\`: ${personName(row)}`;
}

function since({ createdAt, decidedAt = createdAt, decidedBy }: PairingRow, now: number): string {
  const ago = `${inWords(Math.max(0, now - Date.parse(decidedAt)))} ago`;
  return decidedBy === undefined ? ago : `${ago} by ${codeOf(cut(decidedBy))}`;
}

/** As half of a sentence. */
function stands(row: PairingRow): string {
  const by = row.decidedBy === undefined ? "somebody" : codeOf(cut(row.decidedBy));
  const name = personName(row);
  switch (row.state) {
    case "waiting":
      return `${name} waits.`;
    case "approved":
      return `${by} has let ${name} in.`;
    case "ignored":
      return `${by} ignores ${name} for a day.`;
    case "blocked":
      return `${by} has blocked ${name}.`;
    case "removed":
      return `${by} has removed ${name} already.`;
    default:
      return row.state satisfies never;
  }
}

function cut(words: string): string {
  return plainLine(words, longest);
}
