import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { shownWord } from "../shown-word.ts";
import type { SkillSource } from "./skill-source.ts";

const run = promisify(execFile);

const longestMs = 300_000;
/** As in `packages/skills`, which looks again at what was written. */
const mostFiles = 200;
const mostFileBytes = 1_048_576;
const mostOutputBytes = 16_777_216;

interface TreeFile {
  readonly path: string;
  readonly oid: string;
  readonly isProgram: boolean;
}

/**
 * Writes the files of one folder of a commit below `target`, as they are in the repository: nothing is checked out, so that no hook, filter
 * or attribute of it counts, and links and submodules are refused. `scratch` is an empty folder. Throws a sentence.
 */
export async function fetchFiles(source: SkillSource, scratch: string, target: string): Promise<void> {
  const { url, commit } = source;
  await git(["init", "--quiet", "--bare", scratch]);
  const fetch = ["-C", scratch, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head"];
  try {
    await git([...fetch, "--depth=1", "--", url, commit]);
  } catch {
    // Some servers give no commit that is not a branch's newest.
    await git([...fetch, "--", url, "+refs/heads/*:refs/heads/*"]);
  }
  const type = await git(["-C", scratch, "cat-file", "-t", commit]).catch(() => "");
  if (type.trim() !== "commit") throw new Error(`${url} has no commit ${commit}: look with \`git ls-remote\``);
  for (const file of await filesIn(source, scratch)) {
    const place = join(target, file.path);
    await mkdir(dirname(place), { recursive: true });
    const { stdout } = await run("git", ["-C", scratch, "cat-file", "blob", file.oid], {
      ...settings(),
      encoding: "buffer",
    });
    await writeFile(place, stdout, { mode: file.isProgram ? 0o755 : 0o644 });
  }
}

async function filesIn({ url, path, commit }: SkillSource, scratch: string): Promise<readonly TreeFile[]> {
  const prefix = path === "" ? "" : `${path}/`;
  const below = path === "" ? [] : ["--", prefix];
  const listed = await git(["-C", scratch, "ls-tree", "-r", "-l", "-z", "--full-tree", commit, ...below]);
  const lines = listed.split("\0").filter((line) => line !== "");
  if (lines.length === 0) throw new Error(`${shownWord(path)} is not in commit ${commit} of ${url}`);
  if (lines.length > mostFiles) throw new Error(`there are ${lines.length} files: a skill has at most ${mostFiles}`);
  return lines.map((line) => {
    const [, mode = "", oid = "", size = "", name = ""] =
      /^(\d+) \w+ ([0-9a-f]+) +(\d+|-)\t([\s\S]+)$/.exec(line) ?? [];
    const inside = name.slice(prefix.length);
    const shown = JSON.stringify(inside);
    if (mode !== "100644" && mode !== "100755")
      throw new Error(`${shown} is a link or a submodule: a skill has files only`);
    if (!(Number(size) <= mostFileBytes)) throw new Error(`${shown} has more than ${mostFileBytes} bytes`);
    if (inside.split("/").some((part) => part === "" || part === "." || part === ".." || part === ".git"))
      throw new Error(`${shown} is no path of a file`);
    return { path: inside, oid, isProgram: mode === "100755" };
  });
}

/** What git prints. Throws its last line. */
async function git(args: readonly string[]): Promise<string> {
  try {
    return (await run("git", args, { ...settings(), encoding: "utf8" })).stdout;
  } catch (error) {
    const { code, stderr = "" } = error as { readonly code?: unknown; readonly stderr?: string };
    if (code === "ENOENT")
      throw new Error("git is missing: install it, such as with `apt install git`", { cause: error });
    const last = stderr.trim().split("\n").at(-1) ?? "";
    throw new Error(`git: ${JSON.stringify(last === "" ? String(code) : last)}`, { cause: error });
  }
}

/** No question, no other way out, and nothing that a configuration or a repository would run. */
function settings() {
  const own = ["core.hooksPath=/dev/null", "core.fsmonitor=false", "protocol.ext.allow=never"];
  const values = own.flatMap((one, index) => {
    const at = one.indexOf("=");
    return [
      [`GIT_CONFIG_KEY_${index}`, one.slice(0, at)],
      [`GIT_CONFIG_VALUE_${index}`, one.slice(at + 1)],
    ];
  });
  const env = {
    ...process.env,
    ...Object.fromEntries(values),
    GIT_CONFIG_COUNT: String(own.length),
    GIT_TERMINAL_PROMPT: "0",
    GIT_ALLOW_PROTOCOL: "https:ssh:file",
  };
  return { env, timeout: longestMs, maxBuffer: mostOutputBytes };
}
