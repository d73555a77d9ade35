import { isAtLeast } from "@talaria/protocol";
import type { OperationsStore, WaitingQuestion } from "@talaria/store";
import { durationText } from "../duration-text.ts";
import { placeWords } from "./place-words.ts";
import { columns } from "./status-lines.ts";

/** So many are shown. */
export const mostQuestions = 5;

/** What waits for people, one line each: who decides, and whether they know; above, how many calls have to be approved. Nothing where nothing waits. */
export function questionLines(
  { questions, all, approvals }: Awaited<ReturnType<OperationsStore["questions"]>>,
  now: number,
): readonly string[] {
  if (questions.length === 0) return [];
  const rest = all - questions.length;
  return [
    ...approvalLines(approvals),
    ...columns("questions", [
      ...questions.map((question) => questionLine(question, now)),
      ...(rest > 0 ? [`and ${rest} more`] : []),
    ]),
  ];
}

function approvalLines(approvals: number): readonly string[] {
  if (approvals === 0) return [];
  const wait = approvals === 1 ? "1 call waits" : `${approvals} calls wait`;
  return columns("approvals", [
    `${wait}: who may decide writes /approve or /deny and the number to the agent; /approvals shows them whole`,
  ]);
}

function questionLine(question: WaitingQuestion, now: number): string {
  const { id, name, route, askedAt } = question;
  const place = placeWords({ conversation: route, ...personAmong(question) });
  const since = durationText(Math.max(0, now - Date.parse(askedAt)));
  return `${id}: ${name} ${route.kind === "direct" ? "with" : "in"} ${place}, since ${since}; ${whoDecides(question)}, ${whoKnows(question)}`;
}

function whoDecides({ waitsFor, approver = "owner" }: WaitingQuestion): string {
  if (waitsFor === "form") return "whoever asked answers";
  return approver === "owner" ? "an owner decides" : "a member decides";
}

function whoKnows({ id, route, told, waitsFor, approver = "owner", askers }: WaitingQuestion): string {
  const isHere = ({ accountId, conversationId }: WaitingQuestion["told"][number]) =>
    accountId === route.accountId && conversationId === route.conversationId;
  // Of a direct conversation nobody else reads the question.
  const mayDecideHere =
    waitsFor === "form" ||
    route.kind !== "direct" ||
    askers.some(({ role, sender }) => sender.role === "person" && isAtLeast(role, approver));
  const reached = told.filter((one) => mayDecideHere || !isHere(one));
  if (reached.length === 0 && told.length > 0) return `and none was asked: ${remedy(id)}`;
  const posted = reached.filter(({ isSent }) => isSent);
  if (posted.length === 0) return "the question is not posted yet";
  const homes = posted.filter((one) => !isHere(one)).length;
  const places = [posted.some(isHere) ? "there" : "", homes === 0 ? "" : `at ${homes} home${homes === 1 ? "" : "s"}`];
  return `asked ${places.filter((part) => part !== "").join(" and ")}`;
}

function remedy(id: string): string {
  return `they write /sethome or /approve ${id} to the agent in a direct conversation`;
}

/** Who asked first of those who write there. */
function personAmong({ askers }: WaitingQuestion) {
  const person = askers.find(({ sender }) => sender.role === "person")?.sender;
  return person === undefined ? {} : { person };
}
