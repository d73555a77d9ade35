import { type Fact, type InboundEvent, isAtLeast, type Role, type SessionKey } from "@talaria/protocol";
import type { DirectSettlement, LearnedSkill, SkillStore } from "@talaria/store";
import { type Words, wordsFor } from "@talaria/words";
import type { GivenCommand } from "./commands.ts";
import { refusal, settlement } from "./decide.ts";
import { factsSeenBy, type KeptFactsDeps } from "./kept-facts.ts";

/** Of each kind, in one notice. */
const mostListed = 50;
const skillName = /^[\p{L}\p{N}-]{1,64}$/u;

export interface LearnedDeps extends Pick<KeptFactsDeps, "facts" | "isMemoryOff"> {
  /** Without it, no skill is ever learnt. */
  readonly skills?: Pick<SkillStore, "learned">;
}

interface Asked {
  readonly command: GivenCommand;
  readonly event: InboundEvent;
  readonly sessionKey: SessionKey;
  readonly role: Role;
  readonly notices: Words["learnedNotices"];
}

/**
 * What `/learned` does: lists facts as `/memory` does, and skills that count here, each with its cause and what forgets it. Of a skill that was learnt
 * elsewhere nobody is told where and from whom, but an owner in private, who reads of all. `forget` forgets a skill: an owner any, others
 * what they alone have taught here while nobody has accepted it. `wrong` says that its last use has failed: an owner any, others their own.
 */
export async function learned(
  command: GivenCommand,
  event: InboundEvent,
  sessionKey: SessionKey,
  role: Role,
  deps: LearnedDeps,
): Promise<DirectSettlement> {
  const notices = wordsFor(event).learnedNotices;
  const asked: Asked = { command, event, sessionKey, role, notices };
  const [, verb = "", given = ""] = /^(\S*)\s*(\S*)\s*$/.exec((command.argument ?? "").trim()) ?? ["", "?"];
  const name = given.normalize("NFKC").toLowerCase();
  const isNamed = skillName.test(name) && isAtLeast(role, "member");
  if (verb === "") return list(asked, deps);
  if (verb.toLowerCase() === "forget" && isNamed) return forget(name, asked, await skillsFor(asked, deps));
  if (verb.toLowerCase() === "wrong" && isNamed) return wrong(name, asked);
  return settlement(command, event, notices.usage);
}

async function list(asked: Asked, deps: LearnedDeps): Promise<DirectSettlement> {
  const { command, event, sessionKey, role, notices } = asked;
  const [facts, skills] = await Promise.all([factsSeenBy(event, sessionKey, role, deps), skillsFor(asked, deps)]);
  if (facts === undefined) return settlement(command, event, notices.nothingHere);
  const text = notices.list(
    facts.slice(0, mostListed).map((fact) => ({ ...fact, by: authorOf(fact, event) })),
    skills.slice(0, mostListed).map((skill) => shownTo(asked, skill)),
    { facts: Math.max(0, facts.length - mostListed), skills: Math.max(0, skills.length - mostListed) },
    event.conversation.kind === "direct",
  );
  const off = deps.isMemoryOff === true ? `${wordsFor(event).factNotices.off}\n\n` : "";
  return settlement(command, event, `${off}${text}`);
}

function forget(name: string, { command, event, sessionKey, role, notices }: Asked, skills: readonly LearnedSkill[]) {
  const skill = skills.find((one) => one.name === name);
  if (skill === undefined) return settlement(command, event, notices.noSkill(name));
  const isOwner = role === "owner";
  const own = { place: placeOf(event), author: event.sender.userId };
  if (!isOwner && !isOwn(skill, event)) return refusal(event, notices.notYours(name));
  return {
    ...settlement(command, event, notices.forgotten(name)),
    idleMarkdown: isOwner ? notices.noSkill(name) : notices.notYours(name),
    effect: { kind: "forget_skill" as const, sessionKey, name, ...(isOwner ? {} : own) },
  };
}

function wrong(name: string, { command, event, sessionKey, role, notices }: Asked): DirectSettlement {
  const user = `${event.conversation.accountId}/${event.sender.userId}`;
  return {
    ...settlement(command, event, notices.failed(name)),
    idleMarkdown: notices.notUsed(name),
    effect: { kind: "skill_failed", sessionKey, name, ...(role === "owner" ? {} : { user }) },
  };
}

/** Of each name what counts here; of an owner in private, of all places. None for those who have no skills. */
async function skillsFor({ event, role }: Asked, { skills }: LearnedDeps): Promise<readonly LearnedSkill[]> {
  if (skills === undefined || !isAtLeast(role, "member") || event.sender.assurance === "claimed") return [];
  const seesAll = seesEverything(event, role);
  const seen = (await skills.learned()).filter(
    (one) =>
      !one.isWithdrawn &&
      (seesAll || (!one.isArchived && (one.place === placeOf(event) || one.acceptedAt !== undefined))),
  );
  return [...Map.groupBy(seen, ({ name }) => name).values()].flatMap(([counts]) => counts ?? []);
}

function shownTo({ event, role }: Asked, skill: LearnedSkill) {
  const { name, writtenAt, place, author, derived, acceptedAt, isArchived, isSetAside } = skill;
  const isHere = place === placeOf(event);
  const isKnown = isHere || seesEverything(event, role);
  const by = derived.askers.find(({ sender }) => sender.userId === author)?.sender.displayName ?? author;
  return {
    ...{ name, learntAt: writtenAt, isArchived, isSetAside, isAccepted: acceptedAt !== undefined },
    ...(isKnown && { place: isHere ? ("here" as const) : { name: place }, by }),
    isByReader: isHere && author === event.sender.userId,
    isTheirs: role === "owner" || isOwn(skill, event),
  };
}

function isOwn({ place, author, acceptedAt }: LearnedSkill, event: InboundEvent): boolean {
  return place === placeOf(event) && author === event.sender.userId && acceptedAt === undefined;
}

function seesEverything({ conversation }: InboundEvent, role: Role): boolean {
  return role === "owner" && conversation.kind === "direct";
}

function authorOf({ author, derived }: Fact, { sender }: InboundEvent): string | undefined {
  if (author === sender.userId) return "you";
  return derived.askers.find((one) => one.sender.userId === author)?.sender.displayName;
}

function placeOf({ conversation: { accountId, conversationId } }: InboundEvent): string {
  return `${accountId}/${conversationId}`;
}
