import type { Derived, Fact, FactScope } from "@talaria/protocol";
import type { KeptFact } from "@talaria/store";
import { codeOf } from "../marks.ts";
import { quoted } from "../shown-words.ts";

const minuteChars = "2026-11-20T10:30".length;

/** The file that people get with all that is kept of them, as Markdown. The same facts give the same bytes on the same day. */
export function factFile(kept: readonly KeptFact[], person: string, day: string): string {
  const known = kept.filter(({ fact }) => !("archivedAt" in fact));
  const archived = kept.filter(({ fact }) => "archivedAt" in fact);
  return `${[
    "# What I keep of you",
    `Of ${codeOf(person)} on ${day}: ${counted(known.length)} that I know, and ${counted(archived.length)} in the archive, which I look into only when I'm asked. Times are UTC.`,
    "## What I know",
    ...(known.length === 0 ? ["Nothing."] : known.map(entryOf)),
    "## The archive",
    ...(archived.length === 0 ? ["Nothing."] : archived.map(entryOf)),
  ].join("\n\n")}\n`;
}

function entryOf({ fact, conversationId, title }: KeptFact): string {
  const { id, text, scope, key, trust, author, version, uses, derived, createdAt, confirmedAt } = fact;
  const place = conversationId === undefined ? "no longer known" : codeOf(conversationId);
  return [
    `### ${id}: ${codeOf(text)}`,
    "",
    `- about: ${abouts[scope]}${scope === "group" ? ` ${codeOf(key)}` : ""}`,
    `- taught by: ${codeOf(author)}${namesOf(author, derived)}`,
    `- said in: ${place}${title === undefined ? "" : ` ${quoted(title)}`}`,
    `- trust: ${trust === "said" ? "somebody said it" : "a guess of mine"}`,
    ...(derived.taint.length === 0
      ? []
      : [`- from what others wrote: ${derived.taint.map(({ kind, name }) => codeOf(`${kind} ${name}`)).join(", ")}`]),
    ...(derived.audience === undefined ? [] : [`- known only in: ${derived.audience.map(codeOf).join(", ")}`]),
    `- since ${timeOf(createdAt)}, last confirmed ${timeOf(confirmedAt)}`,
    `- version ${version}, used ${uses === 1 ? "once" : `${uses} times`}`,
    ...("archivedAt" in fact ? [`- ${goneAs(fact)} ${timeOf(fact.archivedAt)}`] : []),
  ].join("\n");
}

const abouts: Readonly<Record<FactScope, string>> = {
  person: "you",
  group: "the group",
  workspace: "the files of a conversation",
  agent: "my own work",
};

function goneAs(fact: Extract<KeptFact["fact"], { readonly archivedAt: string }>): string {
  const by = fact.replacedBy === undefined ? "" : ` by ${fact.replacedBy}`;
  return { replaced: `replaced${by}`, removed: "removed", room: "archived for want of room" }[fact.why];
}

function namesOf(author: Fact["author"], { askers }: Derived): string {
  const name = askers.find(({ sender }) => sender.userId === author)?.sender.displayName ?? "";
  return name === "" ? "" : ` ${quoted(name)}`;
}

function counted(count: number): string {
  return count === 1 ? "1 fact" : `${count} facts`;
}

function timeOf(at: string): string {
  return at.slice(0, minuteChars).replace("T", " ");
}
