import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ReadSkill, readSkill } from "@talaria/skills";
import { z } from "zod";
import { fetchFiles } from "./fetch-files.ts";
import { type SkillSource, skillSourceSchema } from "./skill-source.ts";

const originSchema = z.strictObject({ ...skillSourceSchema.shape, digest: z.string() });
/** What a skill was installed from, and its digest then. */
export type SkillOrigin = z.infer<typeof originSchema>;

const never = new AbortController().signal;

/** A folder beside the skills, on the same file system, which no reader of skills looks into. */
export async function withScratch<Result>(
  skillDir: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  await mkdir(skillDir, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(skillDir, ".new-"));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The skill of a source in a folder of its name below `scratch`. Throws a sentence where it can't be had; faults are in the result. */
export async function fetched(
  source: SkillSource,
  name: string,
  scratch: string,
): Promise<ReadSkill & { readonly folder: string }> {
  const folder = join(scratch, name);
  await fetchFiles(source, join(scratch, "repository"), folder);
  return { ...(await readSkill(folder, never)), folder };
}

/** Puts it into the place of the one that is there, if any, and notes where it comes from. */
export async function place(folder: string, name: string, origin: SkillOrigin, skillDir: string): Promise<void> {
  const [target, former] = [join(skillDir, name), `${folder}.former`];
  await rename(target, former).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  await rename(folder, target);
  await mkdir(originDir(skillDir), { recursive: true, mode: 0o700 });
  await writeFile(originFile(skillDir, name), `${JSON.stringify(origin, null, 2)}\n`, { mode: 0o600 });
}

/** Undefined: nobody has installed it from a repository. */
export async function originOf(skillDir: string, name: string): Promise<SkillOrigin | undefined> {
  const text = await readFile(originFile(skillDir, name), "utf8").catch(() => undefined);
  return text === undefined ? undefined : originSchema.parse(JSON.parse(text));
}

export async function removeKept(skillDir: string, name: string): Promise<void> {
  await rm(join(skillDir, name), { recursive: true });
  await rm(originFile(skillDir, name), { force: true });
}

function originDir(skillDir: string): string {
  return join(skillDir, ".origins");
}

function originFile(skillDir: string, name: string): string {
  return join(originDir(skillDir), `${name}.json`);
}
