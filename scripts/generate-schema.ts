/**
 * Writes what follows from the configuration's schema: `config/talaria.schema.json` and the table in
 * `docs/configuration.md`. With `--check` nothing is written, and the exit code is 1 when something is out of date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { type ConfigKey, configJsonSchema, configKeys } from "@talaria/config";
import { platformNames } from "@talaria/platforms";

const root = new URL("..", import.meta.url);
const generated = [
  { file: "config/talaria.schema.json", make: () => `${JSON.stringify(configJsonSchema(platformNames), null, 2)}\n` },
  { file: "docs/configuration.md", make: withTable },
];

const onlyCheck = process.argv.includes("--check");
for (const { file, make } of generated) {
  const url = new URL(file, root);
  const current = readText(url);
  const wanted = make(current);
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

function withTable(page: string): string {
  const begin = "<!-- keys: written by scripts/generate-schema.ts -->\n";
  const end = "<!-- end of keys -->";
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error("docs/configuration.md has lost the marks around its table");
  return page.slice(0, from + begin.length) + table() + page.slice(to);
}

function table(): string {
  const rows = configKeys(platformNames).map(
    (key) => `| \`${key.path}\` | ${defaultOf(key)} | ${key.description}${choices(key)} |`,
  );
  return ["", "| key | default | meaning |", "| --- | --- | --- |", ...rows, "", ""].join("\n");
}

function defaultOf(key: ConfigKey): string {
  if (key.isRequired) return "required";
  return key.default === undefined ? "" : `\`${JSON.stringify(key.default)}\``;
}

function choices(key: ConfigKey): string {
  return key.values === undefined ? "" : ` One of ${key.values.map((value) => `\`${value}\``).join(", ")}.`;
}
