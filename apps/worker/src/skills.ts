import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type Clock, type Conversation, GatewayError, type Log } from "@talaria/protocol";
import {
  fittingSkills,
  type Listed,
  type ReadSkill,
  readSkill,
  readSkills,
  renderCatalogue,
  type Skill,
  scanFiles,
  shownFile,
  shownSkill,
  skillNames,
  storedSkill,
} from "@talaria/skills";
import type { SkillStore, SkillUse } from "@talaria/store";
import type { SkillReader, Skills } from "@talaria/tools";

/** A first message waits no longer for the catalogue. */
const longestMs = 2_000;
/** Skills whose scan is remembered, by their digest. */
const mostScanned = 500;
const mostNamed = 30;
/** No place is called so. */
const nowhere = "";

export interface SkillsDeps {
  /** Where the operator's skills lie. It need not be there. */
  readonly folder: string;
  readonly store: Pick<SkillStore, "accepted" | "learnedIn" | "filesOf" | "setAside" | "use">;
  /** Nothing is kept beyond sessions: of what was learnt only what owners have accepted is known. */
  readonly isMemoryOff?: boolean;
  readonly clock: Pick<Clock, "sleep">;
  readonly log: Log;
}

/** Where somebody asks for skills: what was learnt elsewhere is there only once it was accepted. */
export type SkillPlace = Pick<Conversation, "accountId" | "conversationId">;

/** The operator's skills and those that were learnt, as they are now. Of two with one name the operator's counts. */
export interface KeptSkills extends Skills {
  /** Whether there may be any. Never rejects. */
  hasAny(place: SkillPlace): Promise<boolean>;
  /** Names of the operator's own. Never rejects. */
  ownNames(): Promise<readonly string[]>;
  /** The skill that somebody calls so, in any case of letters. Undefined: there is none. Never rejects. */
  named(given: string, place: SkillPlace): Promise<string | undefined>;
  /** The part of a prompt that lists them; empty where there are none, or they take too long. Never rejects. */
  catalogue(place: SkillPlace): Promise<string>;
}

/** A skill that is there, before all of it was read. */
interface Known extends Pick<Skill, "name" | "description" | "digest"> {
  open(signal: AbortSignal): Promise<ReadSkill>;
}

export function createSkills({ folder, store, isMemoryOff = false, clock, log }: SkillsDeps): KeptSkills {
  const ownNames = () =>
    skillNames(folder).catch((error: unknown): readonly string[] => {
      log.warn({ error }, "the folder of skills can't be read");
      return [];
    });
  const learnt = async ({ accountId, conversationId }: SkillPlace): Promise<readonly Known[]> => {
    const found = await store.learnedIn(isMemoryOff ? nowhere : `${accountId}/${conversationId}`);
    return found.map(({ name, description, digest, version }) => ({
      ...{ name, description, digest },
      open: async () => storedSkill(name, (await store.filesOf(name, { version })) ?? []),
    }));
  };
  const learntNames = (place: SkillPlace) =>
    learnt(place).then(
      (found) => found.map(({ name }) => name),
      (error: unknown): readonly string[] => {
        log.warn({ error }, "the skills that were learnt can't be read");
        return [];
      },
    );
  const { isSound, soundness } = scans();
  // What nobody has accepted is not even looked through.
  const isTrusted = async (skill: Skill, signal: AbortSignal) =>
    (await store.accepted([skill.digest])).has(skill.digest) && (await isSound(skill, signal));
  const allIn = async (place: SkillPlace, signal: AbortSignal): Promise<readonly Known[]> => {
    const own: Known[] = [];
    for await (const { skill } of readSkills(folder, signal))
      if (skill !== undefined) {
        const { name, description, digest } = skill;
        own.push({ name, description, digest, open: (during) => readSkill(join(folder, name), during) });
      }
    const isOwn = new Set(own.map(({ name }) => name.normalize("NFKC")));
    return [...own, ...(await learnt(place)).filter(({ name }) => !isOwn.has(name))];
  };
  const listed = async (place: SkillPlace, signal: AbortSignal): Promise<readonly Listed[]> => {
    const found = await allIn(place, signal);
    const digests = found.map(({ digest }) => digest);
    const [accepted, aside] = await Promise.all([store.accepted(digests), store.setAside(digests)]);
    const skills: Listed[] = [];
    for (const known of found.filter(({ digest }) => !aside.has(digest))) {
      const isTrusted = accepted.has(known.digest) && (soundness(known.digest) ?? (await isSoundNow(known, signal)));
      skills.push({ name: known.name, description: known.description, isTrusted });
    }
    return skills;
  };
  const isSoundNow = async ({ digest, open }: Known, signal: AbortSignal) => {
    const { skill } = await open(signal);
    return skill?.digest === digest && (await isSound(skill, signal));
  };
  const opened = async (name: string, place: SkillPlace, signal: AbortSignal): Promise<ReadSkill | undefined> => {
    const meant = name.normalize("NFKC");
    const own = (await skillNames(folder)).find((one) => one.normalize("NFKC") === meant);
    if (own !== undefined) return readSkill(join(folder, own), signal);
    return (await learnt(place)).find((one) => one.name === meant)?.open(signal);
  };
  return {
    hasAny: async (place) => (await ownNames()).length > 0 || (await learntNames(place)).length > 0,

    ownNames,

    named: async (given, place) => {
      const meant = given.normalize("NFKC").toLowerCase();
      const isMeant = (name: string) => name.normalize("NFKC") === meant;
      return (await ownNames()).find(isMeant) ?? (await learntNames(place)).find(isMeant);
    },

    catalogue: async (place) => {
      const enough = new AbortController();
      try {
        const late = clock.sleep(longestMs, enough.signal).then(() => undefined);
        const skills = await Promise.race([listed(place, enough.signal), late]);
        if (skills === undefined)
          log.warn({ longestMs }, "the skills took too long to be read: this prompt lists none");
        return renderCatalogue(skills ?? []);
      } catch (error) {
        log.warn({ error }, "the skills could not be read: this prompt lists none");
        return "";
      } finally {
        enough.abort();
      }
    },

    read: async ({ name, file }, reader) => {
      const { conversation, signal } = reader;
      const found = await opened(name, conversation, signal);
      if (found === undefined)
        return { content: fittingText(await listed(conversation, signal), name), isUntrusted: false };
      const skill = usable(found);
      if ((await store.setAside([skill.digest])).has(skill.digest)) throw setAside(skill);
      await store
        .use(useOf(skill, reader))
        .catch((error: unknown) => log.warn({ error, skill: skill.name }, "a use of a skill is not counted"));
      const content = file === undefined ? shownSkill(skill) : fileOf(skill, file);
      return { content, isUntrusted: !(await isTrusted(skill, signal)) };
    },
  };
}

/** Whether the scanner has no objection, remembered by digest. */
function scans() {
  const sound = new Map<string, boolean>();
  return {
    soundness: (digest: string) => sound.get(digest),
    isSound: async (skill: Skill, signal: AbortSignal) => {
      const known = sound.get(skill.digest) ?? (await hasNoObjection(skill, signal));
      if (sound.size >= mostScanned) sound.clear();
      sound.set(skill.digest, known);
      return known;
    },
  };
}

function useOf({ name, digest }: Skill, { turnId, sessionKey, conversation, requesters }: SkillReader): SkillUse {
  const users = [...new Set(requesters.map(({ userId }) => `${conversation.accountId}/${userId}`))];
  return { turnId, sessionKey, name, digest, users };
}

function setAside({ name }: Skill): GatewayError {
  const words = `the skill ${JSON.stringify(name)} is set aside, since its last two uses have failed: do it without. \`talaria skills restore ${name}\` brings it back`;
  return new GatewayError(words, { code: "invalid_request" });
}

async function hasNoObjection(skill: Skill, signal: AbortSignal): Promise<boolean> {
  for (const remarks of scanFiles(skill)) {
    if (remarks.some(({ isObjection }) => isObjection)) return false;
    await setImmediate(undefined, { signal });
  }
  return true;
}

function usable({ name, skill, faults }: ReadSkill): Skill {
  if (skill !== undefined) return skill;
  // What is wrong may be told in words of whoever wrote the skill.
  throw new GatewayError(
    `the skill ${JSON.stringify(name)} has ${faults.length} faults: \`talaria skills check\` tells its operator which`,
    {
      code: "invalid_request",
    },
  );
}

function fileOf(skill: Skill, path: string): string {
  const text = shownFile(skill, path);
  if (text !== undefined) return text;
  throw new GatewayError(
    `the skill has no text file at ${JSON.stringify(path)}: it lists its files when it is read without \`file\``,
    {
      code: "invalid_request",
    },
  );
}

function fittingText(skills: readonly Listed[], words: string): string {
  const fitting = fittingSkills(skills, words);
  if (fitting !== undefined) return fitting;
  const names = skills.slice(0, mostNamed).map(({ name }) => name);
  throw new GatewayError(`no skill has this name, or words that fit it. There are: ${names.join(", ")}`, {
    code: "invalid_request",
  });
}
