import {
  type Fact,
  type FactSubject,
  factFaultIn,
  type InboundEvent,
  isAtLeast,
  mostArchivedFacts,
  mostCharsOfFacts,
  mostFactChars,
  type Role,
  type SessionKey,
} from "@talaria/protocol";
import type { DirectSettlement, FactStore } from "@talaria/store";
import { plainLine, type Words, wordsFor } from "@talaria/words";
import type { GivenCommand } from "./commands.ts";
import { refusal, settlement } from "./decide.ts";
import { exportFacts, type FactExportDeps } from "./fact-export.ts";
import type { GateDeps } from "./gate-deps.ts";

/** Facts that one notice lists. */
const mostListed = 50;
/** No number of a fact has more digits. */
const mostDigits = 19;

interface Asked {
  readonly command: GivenCommand;
  readonly event: InboundEvent;
  readonly sessionKey: SessionKey;
  readonly role: Role;
  /** Those of the person or the group, without the agent's own. */
  readonly subjects: readonly FactSubject[];
  readonly seen: readonly Fact[];
  readonly notices: Words["factNotices"];
  readonly isOff: boolean;
}

export interface KeptFactsDeps extends Omit<FactExportDeps, "facts">, Pick<GateDeps, "isMemoryOff"> {
  readonly facts: Pick<FactStore, "seen" | "about">;
}

/**
 * What `/memory` does: lists what is kept of whoever writes in private, or of the group, with what the agent has noted for itself there. In private
 * all of it is theirs to forget and correct, besides what others have the agent know for itself; in a group what they have taught,
 * and an owner everything. Where memory is off, nothing is corrected.
 */
export async function keptFacts(
  command: GivenCommand,
  event: InboundEvent,
  sessionKey: SessionKey,
  role: Role,
  deps: KeptFactsDeps,
): Promise<DirectSettlement> {
  const subjects = subjectsOf(event, sessionKey, role);
  const notices = wordsFor(event).factNotices;
  const seen = await factsSeenBy(event, sessionKey, role, deps);
  if (subjects === undefined || seen === undefined) return settlement(command, event, notices.nothingHere);
  const asked: Asked = {
    command,
    event,
    sessionKey,
    role,
    subjects,
    seen,
    notices,
    isOff: deps.isMemoryOff === true,
  };
  const [, verb = "", rest = ""] = /^(\S*)\s*([\s\S]*)$/.exec((command.argument ?? "").trim()) ?? [];
  switch (verb.toLowerCase()) {
    case "":
      return settlement(command, event, list(asked));
    case "forget":
      return rest.toLowerCase() === "everything" ? forgetAll(asked) : forget(rest, asked);
    case "correct":
      return asked.isOff ? settlement(command, event, notices.notCorrectedOff) : correct(rest, asked);
    case "export":
      return exportFacts(command, event, deps);
    default:
      return settlement(command, event, notices.usage);
  }
}

/** What whoever gives a command may see here. Undefined where nobody is known for certain, or we are for one answer only. */
export async function factsSeenBy(
  event: InboundEvent,
  sessionKey: SessionKey,
  role: Role,
  { facts }: { readonly facts: Pick<FactStore, "seen"> },
): Promise<readonly Fact[] | undefined> {
  const subjects = subjectsOf(event, sessionKey, role);
  if (subjects === undefined) return undefined;
  const { accountId, conversationId } = event.conversation;
  return facts.seen({ subjects: [...subjects, agent], place: `${accountId}/${conversationId}` });
}

const agent: FactSubject = { scope: "agent", key: "" };

/** Undefined where nobody is known for certain, or we are for one answer only. */
function subjectsOf({ conversation, sender }: InboundEvent, sessionKey: SessionKey, role: Role) {
  const { accountId, conversationId, kind, platform, guest } = conversation;
  const isKnown = sender.role === "person" && sender.assurance !== "claimed" && isAtLeast(role, "guest");
  if (!isKnown || platform === "webhook" || guest === true) return undefined;
  const subjects: readonly FactSubject[] =
    kind === "direct"
      ? [
          { scope: "person", key: `${accountId}/${sender.userId}` },
          { scope: "workspace", key: sessionKey },
        ]
      : [{ scope: "group", key: `${accountId}/${conversationId}` }];
  return subjects;
}

function list({ seen, event, notices, isOff }: Asked): string {
  const isDirect = event.conversation.kind === "direct";
  const more = Math.max(0, seen.length - mostListed);
  const off = isOff ? [notices.off] : [];
  const kept =
    seen.length === 0 ? notices.nothing(isDirect) : notices.kept(seen.slice(0, mostListed), more, { isDirect, isOff });
  return [...off, kept].join("\n\n");
}

function forget(named: string, asked: Asked): DirectSettlement {
  const { command, event, sessionKey, notices } = asked;
  const fact = meant(named, asked);
  if (typeof fact === "string") return settlement(command, event, fact);
  if (!isTheirs(fact, asked)) return refusal(event, notices.notYours(fact.id));
  const { scope, key, id } = fact;
  return {
    ...settlement(command, event, notices.forgotten(fact)),
    idleMarkdown: notices.none(id),
    effect: { kind: "forget_facts", sessionKey, subjects: [{ scope, key }], ids: [id], ...onlyBy(fact, asked) },
  };
}

/** In a group everything that they have taught it themselves, or an owner all of it. */
function forgetAll({ command, event, sessionKey, role, subjects, notices }: Asked): DirectSettlement {
  const isDirect = event.conversation.kind === "direct";
  const by = isDirect || role === "owner" ? {} : { by: event.sender.userId };
  return {
    ...settlement(command, event, notices.forgottenAll(isDirect)),
    idleMarkdown: notices.nothing(isDirect),
    effect: { kind: "forget_facts", sessionKey, subjects, ...by },
  };
}

function correct(rest: string, asked: Asked): DirectSettlement {
  const { command, event, sessionKey, role, notices } = asked;
  const [, named = "", given = ""] = /^(\S*)\s*([\s\S]*)$/.exec(rest) ?? [];
  const fact = meant(named, asked);
  if (typeof fact === "string") return settlement(command, event, fact);
  const text = plainLine(given, given.length);
  if (!/[\p{L}\p{N}]/u.test(text)) return settlement(command, event, notices.usage);
  const { length } = [...text];
  if (length > mostFactChars) return settlement(command, event, notices.tooLong(length));
  const fault = factFaultIn(given);
  if (fault !== undefined) return settlement(command, event, notices.faulty(fault));
  if (!isTheirs(fact, asked)) return refusal(event, notices.notYours(fact.id));
  const { scope, key, id } = fact;
  const { sender } = event;
  return {
    ...settlement(command, event, notices.corrected(text)),
    idleMarkdown: notices.notCorrected(id),
    effect: {
      ...{ kind: "correct_fact", sessionKey, scope, key, id, text, author: sender.userId, eventId: event.id },
      ...{ asker: { sender, role }, mostChars: mostCharsOfFacts[scope], mostArchived: mostArchivedFacts },
      ...onlyBy(fact, asked),
    },
  };
}

/** The fact, or what to say instead. */
function meant(named: string, { seen, notices }: Asked): Fact | string {
  if (!/^\d+$/.test(named)) return notices.usage;
  const shown = named.length > mostDigits ? `${named.slice(0, mostDigits)}…` : named;
  return seen.find(({ id }) => id === named) ?? notices.none(shown);
}

function isTheirs(fact: Fact, { event, role }: Asked): boolean {
  return role === "owner" || isOfPerson(fact) || fact.author === event.sender.userId;
}

/** What the query has to find again, since it may be another one's by then. */
function onlyBy(fact: Fact, { event, role }: Asked) {
  return role === "owner" || isOfPerson(fact) ? {} : { by: event.sender.userId };
}

/** Kept of the one person who writes in private. */
function isOfPerson({ scope }: Fact): boolean {
  return scope === "person" || scope === "workspace";
}
