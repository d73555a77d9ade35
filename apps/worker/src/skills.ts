import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type Clock, GatewayError, type Log } from "@talaria/protocol";
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
} from "@talaria/skills";
import type { SkillStore } from "@talaria/store";
import type { Skills } from "@talaria/tools";

/** A first message waits no longer for the catalogue. */
const longestMs = 2_000;
/** Skills whose scan is remembered, by their digest. */
const mostScanned = 500;
const mostNamed = 30;

export interface SkillsDeps {
  /** Where the operator's skills lie. It need not be there. */
  readonly folder: string;
  readonly store: Pick<SkillStore, "accepted">;
  readonly clock: Pick<Clock, "sleep">;
  readonly log: Log;
}

/** The operator's skills, as they are now. */
export interface KeptSkills extends Skills {
  /** Whether there may be any. Never rejects. */
  hasAny(): Promise<boolean>;
  /** The skill that somebody calls so, in any case of letters. Undefined: there is none. Never rejects. */
  named(given: string): Promise<string | undefined>;
  /** The part of a prompt that lists them; empty where there are none, or they take too long. Never rejects. */
  catalogue(): Promise<string>;
}

export function createSkills({ folder, store, clock, log }: SkillsDeps): KeptSkills {
  const names = () =>
    skillNames(folder).catch((error: unknown): readonly string[] => {
      log.warn({ error }, "the folder of skills can't be read");
      return [];
    });
  const sound = new Map<string, boolean>();
  const isSound = async (skill: Skill, signal: AbortSignal) => {
    const known = sound.get(skill.digest) ?? (await hasNoObjection(skill, signal));
    if (sound.size >= mostScanned) sound.clear();
    sound.set(skill.digest, known);
    return known;
  };
  // What nobody has accepted is not even looked through.
  const isTrusted = async (skill: Skill, signal: AbortSignal) =>
    (await store.accepted([skill.digest])).has(skill.digest) && (await isSound(skill, signal));
  const listed = async (signal: AbortSignal): Promise<readonly Listed[]> => {
    const found: Pick<Skill, "name" | "description" | "digest">[] = [];
    for await (const { skill } of readSkills(folder, signal))
      if (skill !== undefined) found.push({ name: skill.name, description: skill.description, digest: skill.digest });
    const accepted = await store.accepted(found.map(({ digest }) => digest));
    const skills: Listed[] = [];
    for (const { name, description, digest } of found) {
      const isTrusted = accepted.has(digest) && (sound.get(digest) ?? (await isSoundNow(name, digest, signal)));
      skills.push({ name, description, isTrusted });
    }
    return skills;
  };
  const isSoundNow = async (name: string, digest: string, signal: AbortSignal) => {
    const { skill } = await readSkill(join(folder, name), signal);
    return skill?.digest === digest && (await isSound(skill, signal));
  };
  return {
    hasAny: async () => (await names()).length > 0,

    named: async (given) => {
      const meant = given.normalize("NFKC").toLowerCase();
      return (await names()).find((name) => name.normalize("NFKC") === meant);
    },

    catalogue: async () => {
      const enough = new AbortController();
      try {
        const late = clock.sleep(longestMs, enough.signal).then(() => undefined);
        const skills = await Promise.race([listed(enough.signal), late]);
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

    read: async ({ name, file }, signal) => {
      const names = await skillNames(folder);
      const meant = names.find((one) => one.normalize("NFKC") === name.normalize("NFKC"));
      if (meant === undefined) return { content: fittingText(await listed(signal), name), isUntrusted: false };
      const skill = usable(await readSkill(join(folder, meant), signal));
      const content = file === undefined ? shownSkill(skill) : fileOf(skill, file);
      return { content, isUntrusted: !(await isTrusted(skill, signal)) };
    },
  };
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
