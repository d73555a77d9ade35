import { type AskedCall, askersOf, type FactAccess, type FactAnswer, type FactChange } from "@talaria/agent";
import {
  audienceFor,
  decideChange,
  type FactWrite,
  isTrusted,
  listedLine,
  type Reach,
  reachOf,
  type Trusting,
  usedOf,
} from "@talaria/memory";
import { rightsOf } from "@talaria/policy";
import {
  type Asker,
  type Derived,
  type Fact,
  type FactScope,
  type FactSubject,
  GatewayError,
  joinAskers,
  rolesIn,
  type TurnId,
} from "@talaria/protocol";
import type { FactStore, SessionLease } from "@talaria/store";
import { type AuthoriseOptions, taintOfCall } from "./authorise.ts";
import { everyoneIn } from "./first-facts.ts";
import type { Patience } from "./patience.ts";

/** Others may write the same subject: so often the change is decided again. */
const mostAttempts = 30;
/** Facts that one look lists. */
const mostListed = 100;

export interface FactAccessDeps extends Pick<AuthoriseOptions, "commands"> {
  readonly facts: FactStore;
  readonly lease: SessionLease;
  readonly turnId: TurnId;
  readonly patiently: Patience;
}

/** What one call may see and change, by where the turn is, who asks and what has been read. */
export function createFactAccess(deps: FactAccessDeps): (asked: AskedCall) => FactAccess {
  return (asked) => ({
    change: (change, call) => changeFacts(change, call, asked, deps),
    recall: (words) => recallFacts(words, asked, deps),
  });
}

async function changeFacts(
  change: FactChange,
  { key, scope }: { readonly key: string; readonly scope?: FactScope },
  asked: AskedCall,
  deps: FactAccessDeps,
): Promise<FactAnswer> {
  const { facts, lease, turnId, patiently } = deps;
  const reach = reachIn(asked, deps);
  const subject = subjectFor(scope, reach);
  const askers = askersOf(asked.journal);
  const role = rightsOf(rolesIn(askers));
  const derived: Derived = { taint: taintOfCall(asked, role, deps), askers, ...audienceFor(subject, reach, askers) };
  const isSeen = ({ derived: { audience } }: Fact) => audience === undefined || audience.includes(reach.place);
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    const { version, facts: all } = await patiently(() => facts.of(subject));
    const write = decideChange(change, { facts: all, isSeen, scope: subject.scope, role, derived });
    if ("refused" in write) throw new GatewayError(write.refused, { code: "invalid_request" });
    const { add, ...rest } = write;
    const about = { ...subject, version, callKey: key, ...rest, ...(add && { add }), ...sourceOf(asked) };
    if (!(await patiently(() => facts.change(lease, turnId, about)))) continue;
    const now = await patiently(() => facts.of(subject));
    return changedText(
      write,
      { before: all, now: now.facts.filter(isSeen), scope: subject.scope },
      trustingIn(asked, reach),
    );
  }
  throw new GatewayError("others are changing the same facts: try again", { code: "unavailable", effect: "none" });
}

async function recallFacts(words: readonly string[], asked: AskedCall, deps: FactAccessDeps): Promise<FactAnswer> {
  const reach = reachIn(asked, deps);
  const [kept, archived] = await Promise.all([
    deps.patiently(() => deps.facts.seen(reach)),
    deps.patiently(() => deps.facts.archived(reach, words)),
  ]);
  const sought = words.map((word) => word.toLowerCase());
  const found = kept.filter(({ text }) => sought.every((word) => text.toLowerCase().includes(word)));
  const shown = [...found.toReversed(), ...archived].slice(0, mostListed);
  if (shown.length === 0) return { content: "Nothing is kept that fits.", isUntrusted: false };
  const trusting = trustingIn(asked, reach);
  return { content: shown.map(listedLine).join("\n"), isUntrusted: !shown.every((fact) => isTrusted(fact, trusting)) };
}

/** Throws where nothing may be kept or seen. */
export function reachIn(
  { conversation, history, journal }: AskedCall,
  { lease }: Pick<FactAccessDeps, "lease">,
): Reach {
  const askers = joinAskers([...everyoneIn(history), ...askersOf(journal)]);
  const reach = reachOf({ sessionKey: lease.sessionKey, conversation, askers });
  if (reach !== undefined) return reach;
  throw new GatewayError("nothing is kept here: nobody knows for certain who speaks, or several do in private", {
    code: "unsupported",
  });
}

function subjectFor(scope: FactScope | undefined, { subjects, isPrivate }: Reach): FactSubject {
  const wanted = scope ?? (isPrivate ? "person" : "group");
  const subject = subjects.find((one) => one.scope === wanted);
  if (subject !== undefined) return subject;
  const possible = subjects.map((one) => one.scope).join(", ");
  throw new GatewayError(`nothing about "${wanted}" is kept here: \`about\` can be ${possible}`, {
    code: "invalid_request",
  });
}

/** Who has taught it last, and in what. */
export function sourceOf({ journal }: AskedCall) {
  const said = journal.findLast((entry) => entry.kind === "user");
  if (said !== undefined) return { author: said.sender.userId, eventId: said.eventId };
  const [asker] = askersOf(journal);
  return { author: asker?.sender.userId ?? "" };
}

function trustingIn({ journal }: AskedCall, { isPrivate }: Reach): Trusting {
  const [asker]: readonly Asker[] = askersOf(journal);
  return isPrivate && asker !== undefined ? { person: asker.sender.userId } : {};
}

interface Changed {
  readonly before: readonly Fact[];
  /** Those that may be seen. */
  readonly now: readonly Fact[];
  readonly scope: FactScope;
}

/** What was done, with what had to go for it. Words that would taint the turn are left out: `recall` shows them. */
function changedText(
  { add, archive, confirm, isArchived }: FactWrite,
  { before, now, scope }: Changed,
  trusting: Trusting,
): FactAnswer {
  const kept = add && now.findLast(({ text }) => text === add.text);
  const [same] = confirm;
  const gone = (why: string) => archive.filter((one) => one.why === why).map(({ id }) => id);
  const [replaced, removed, forRoom] = [gone("replaced"), gone("removed"), gone("room")];
  const made = before.filter(({ id }) => forRoom.includes(id)).filter((fact) => isTrusted(fact, trusting));
  const lines = [
    ...(kept === undefined ? [] : [`Kept as fact ${kept.id}.`]),
    ...(isArchived
      ? ["There is no room for it beside what people with more rights have taught: it is in the archive."]
      : []),
    ...(same === undefined ? [] : [`That is fact ${same.id} already: it is confirmed.`]),
    ...(replaced.length === 0 ? [] : [`In place of: ${replaced.join(", ")}.`]),
    ...(removed.length === 0 ? [] : [`Removed: ${removed.join(", ")}.`]),
    ...(forRoom.length === 0
      ? []
      : [`For want of room these went into the archive: ${forRoom.join(", ")}.`, ...made.map(listedLine)]),
    ...(forRoom.length === 0 && !isArchived ? [] : ["Put several facts into one with replace to make room."]),
    usedOf(now, scope),
  ];
  return { content: lines.join("\n"), isUntrusted: false };
}
