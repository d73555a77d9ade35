import assert from "node:assert/strict";
import type { ModelRequest } from "@talaria/agent";
import type { Ended } from "./conversation-play.ts";
import { didText } from "./did-text.ts";
import { endsEarly, type Plan, plannedCall, racesNextTurn, steersAnswers } from "./plan.ts";

type Message = ModelRequest["messages"][number];

const unknownText = "UNKNOWN: interrupted, verify before retrying";
const endNotes = /This turn was stopped before it was finished\.|the answer was cut short: (stopped|superseded)/g;
/** Whoever stops a turn withholds what was not sent by then. */
const stoppedWords = /<note>Your words that begin with "[^"]*" were (?:not sent|cut short): [^<]*<\/note>\n\n/g;
/** People may write at other times. */
const times = /<note>\w{3} [-\d]{10} [:\d]{5} UTC<\/note>\n/g;
const unfinished = /^(did a\d+c\d+|Cancelled\.|Cancelled while it ran\. .*|UNKNOWN: .*)$/;

/**
 * A conversation whose workers died reads in the end like one in which nobody died. The differences that may be: a call that had
 * begun to change something is unknown, and where people end a turn, how far its calls have come and what of it is shown.
 */
export function assertSame(plan: Plan, calm: Ended, ended: Ended): void {
  // Then the model goes on where it would have waited.
  const isUnawaited = [...ended.unknown].some((name) => plannedCall(plan, name).kind === "begin");
  if (isUnawaited || steersAnswers(plan) || racesNextTurn(plan)) return;
  const isLoose = endsEarly(plan);
  const expected = calm.transcript.map((message) => withUnknown(message, ended.unknown));
  assert.deepEqual(
    ended.transcript.map((message) => shown(message, isLoose)),
    expected.map((message) => shown(message, isLoose)),
  );
  assert.deepEqual(repliesOf(ended, isLoose), repliesOf(calm, isLoose));
}

function withUnknown(message: Message, unknown: ReadonlySet<string>): Message {
  const content = [...unknown].reduce(
    (text, name) => text.replace(new RegExp(`${didText(name)}\\b`), unknownText),
    message.content,
  );
  if (content === message.content) return message;
  return message.role === "tool" ? { ...message, content, isError: true } : { ...message, content };
}

function shown(message: Message, isLoose: boolean): Message {
  const timeless = { ...message, content: message.content.replaceAll(times, "") };
  return isLoose ? loose(timeless) : timeless;
}

function loose(message: Message): Message {
  if (message.role === "tool" && unfinished.test(message.content))
    return { ...message, content: "unfinished", isError: true };
  return { ...message, content: message.content.replaceAll(endNotes, "ended early").replaceAll(stoppedWords, "") };
}

/** Of a turn that was ended early, people may have been shown a part or nothing. */
function repliesOf({ outbox }: Ended, isLoose: boolean): readonly string[] {
  const texts = outbox.filter(({ kind }) => kind === "reply").map(({ markdown }) => markdown);
  return isLoose ? texts.filter((text) => !text.endsWith(" …")) : texts;
}
