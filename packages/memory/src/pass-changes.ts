import type { Fact, FactSubject, Instant } from "@talaria/protocol";
import { type Changing, decideChange, type FactChange, type FactWrite } from "./decide-change.ts";
import type { PassLine } from "./pass-lines.ts";

/** What a model proposes, with the numbers of the lines that it names as the source. */
export type ProposedChange = { readonly lines: readonly number[] } & (
  | { readonly action: "add"; readonly text: string; readonly basis: "said" | "inferred" }
  | { readonly action: "replace"; readonly id: string; readonly text: string; readonly basis: "said" | "inferred" }
  | { readonly action: "remove"; readonly id: string }
);

/** What the first fact that a pass adds is called while the others are decided; the next ones count up. */
const firstOwn = -1_000;

export interface PassSubject extends Omit<Changing, "scope"> {
  readonly subject: FactSubject;
  /** When a person has forgotten or corrected something of it last: what was said until then teaches nothing. */
  readonly settledAt?: Instant;
  readonly now: Instant;
}

/** One change with the line that has taught it last. */
export interface PassChange {
  readonly write: FactWrite;
  readonly source: PassLine;
}

/**
 * What comes of the proposals, one after the other, and how many were dropped: those that name no line or one that is not there, or a fact
 * that was not shown, and those that the tool `memory` would refuse. Pure.
 */
export function decidePass(
  proposed: readonly ProposedChange[],
  lines: readonly PassLine[],
  { subject, settledAt, now, ...changing }: PassSubject,
): { readonly changes: readonly PassChange[]; readonly dropped: number } {
  let facts = changing.facts;
  let changes: readonly PassChange[] = [];
  let dropped = 0;
  for (const one of proposed) {
    const cited = one.lines.map((n) => lines.find((line) => line.n === n));
    const sources = cited.flatMap((line) => (line !== undefined && !isSettled(line, settledAt) ? [line] : []));
    const source = sources.at(-1);
    const write =
      source === undefined || sources.length < cited.length
        ? undefined
        : decideChange(toChange(one, sources), { ...changing, facts, scope: subject.scope });
    if (source === undefined || write === undefined || "refused" in write) {
      dropped += 1;
      continue;
    }
    const id = String(firstOwn + changes.length);
    changes = joined(changes, { write, source });
    facts = after(facts, write, { id, subject, source, now });
  }
  return { changes: changes.filter(({ write }) => isSomething(write)), dropped };
}

/** Nobody has said it who may: then it is a guess. */
function toChange(proposed: ProposedChange, sources: readonly PassLine[]): FactChange {
  if (proposed.action === "remove") return { action: "remove", ids: [proposed.id] };
  const isOwn = new Set(sources.map(({ sender }) => sender.userId)).size === 1;
  const trust = proposed.basis === "said" && isOwn ? "said" : "inferred";
  const { text } = proposed;
  return proposed.action === "add"
    ? { action: "add", text, trust }
    : { action: "replace", ids: [proposed.id], text, trust };
}

function isSettled({ at }: PassLine, settledAt: Instant | undefined): boolean {
  return settledAt !== undefined && at <= settledAt;
}

/** A fact that this pass has added has no number yet: where it has to make room for a later one, it goes into the archive itself. */
function joined(changes: readonly PassChange[], { write, source }: PassChange): readonly PassChange[] {
  const isOurs = ({ id }: { readonly id: string }) => Number(id) < 0;
  const gone = write.archive.filter(isOurs).map(({ id }) => Number(id) - firstOwn);
  const before = changes.map((change, n) =>
    gone.includes(n) ? { ...change, write: { ...change.write, isArchived: true as const } } : change,
  );
  const own = {
    ...write,
    archive: write.archive.filter((one) => !isOurs(one)),
    confirm: write.confirm.filter((one) => !isOurs(one)),
  };
  return [...before, { write: own, source }];
}

interface Added {
  readonly id: string;
  readonly subject: FactSubject;
  readonly source: PassLine;
  readonly now: Instant;
}

/** The facts as they will be. */
function after(
  facts: readonly Fact[],
  { add, archive, confirm, isArchived }: FactWrite,
  { id, subject, source, now }: Added,
): readonly Fact[] {
  const kept = facts
    .filter((fact) => !archive.some((one) => one.id === fact.id))
    .map((fact) => {
      const confirmed = confirm.find((one) => one.id === fact.id);
      return confirmed === undefined ? fact : { ...fact, trust: confirmed.trust, confirmedAt: now };
    });
  if (add === undefined || isArchived === true) return kept;
  const { sender, eventId } = source;
  return [
    ...kept,
    { ...add, ...subject, id, author: sender.userId, eventId, uses: 0, createdAt: now, confirmedAt: now },
  ];
}

function isSomething({ add, archive, confirm }: FactWrite): boolean {
  return add !== undefined || archive.length > 0 || confirm.length > 0;
}
