/**
 * Writes what follows from the configuration's schema and from the registered platforms: `config/talaria.schema.json`, the
 * table in `docs/configuration-reference.md`, and the table of platforms in `README.md`; the system calls of a worker's container,
 * `config/worker-seccomp.json`; and what models are told, `docs/building/prompts.md`. With `--check` nothing is written, and the exit code is 1 when something is out of date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { type ConfigKey, configJsonSchema, configKeys } from "@talaria/config";
import { platformNames } from "@talaria/platforms";
import { nestingProfile } from "../packages/sandbox/src/docker/seccomp-profile.ts";
import { promptsPage } from "./prompts/page.ts";

const root = new URL("..", import.meta.url);
const generated = [
  { file: "config/talaria.schema.json", make: () => `${JSON.stringify(configJsonSchema(platformNames), null, 2)}\n` },
  { file: "config/worker-seccomp.json", make: () => `${JSON.stringify(nestingProfile(), null, 2)}\n` },
  { file: "docs/building/prompts.md", make: promptsPage },
  { file: "docs/configuration-reference.md", make: (page: string) => replaceBetween(page, "keys", keyTable()) },
  { file: "README.md", make: (page: string) => replaceBetween(page, "platforms", platformTable()) },
];

const onlyCheck = process.argv.includes("--check");
for (const { file, make } of generated) {
  const url = new URL(file, root);
  const current = readText(url);
  const wanted = await make(current);
  if (current === wanted) continue;
  if (onlyCheck) {
    console.error(`${file} is out of date: run node scripts/generate-schema.ts`);
    process.exitCode = 1;
  } else {
    writeFileSync(url, wanted);
    console.log(`wrote ${file}`);
  }
}

function readText(url: URL): string {
  try {
    return readFileSync(url, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

function replaceBetween(page: string, what: string, table: string): string {
  const begin = `<!-- ${what}: written by scripts/generate-schema.ts -->\n`;
  const end = `<!-- end of ${what} -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`a page has lost the marks around its table of ${what}`);
  return page.slice(0, from + begin.length) + table + page.slice(to);
}

/** One row for each platform, with what its package says of itself and the title of its guide. */
function platformTable(): string {
  const rows = platformNames.map((name) => {
    const folder = `packages/adapters/${name}`;
    const { description, triedAgainst } = JSON.parse(readText(new URL(`${folder}/package.json`, root)));
    const [, title] = /^# (.+)$/m.exec(readText(new URL(`${folder}/GUIDE.md`, root))) ?? [];
    if (title === undefined || description === undefined || triedAgainst === undefined)
      throw new Error(`${folder} needs a title in GUIDE.md, and description and triedAgainst in package.json`);
    return `| [${title}](${folder}/GUIDE.md): ${description} | ${triedAgainst} |`;
  });
  return ["", "| platform | tested against |", "| --- | --- |", ...rows, "", ""].join("\n");
}

function keyTable(): string {
  const rows = configKeys(platformNames).map(
    (key) => `| \`${key.path}\` | ${defaultOf(key)} | ${key.description}${choices(key)} |`,
  );
  return ["", "| key | default | meaning |", "| --- | --- | --- |", ...rows, "", ""].join("\n");
}

function defaultOf(key: ConfigKey): string {
  if (key.isRequired) return key.group === undefined ? "required" : `required in \`${key.group}\``;
  return key.default === undefined ? "" : `\`${JSON.stringify(key.default)}\``;
}

function choices(key: ConfigKey): string {
  return key.values === undefined ? "" : ` One of ${key.values.map((value) => `\`${value}\``).join(", ")}.`;
}
