import { mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { editDistance } from "@talaria/protocol";
import { freshFaults } from "../fresh-faults.ts";
import { explainFullDisk } from "../full-disk.ts";
import { type Home, locateHome } from "../home.ts";
import { faultOfKey } from "../key-text.ts";
import { checkFile } from "../load-home.ts";
import { LineInterview } from "../setup/line-interview.ts";
import { replacePrivately } from "../setup/write-files.ts";
import { isHomeServed } from "../start/home-lock.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

/** What the configuration takes at most. */
const mostBytes = 65_536;
/** Letters in which a name may differ from the one that was meant, besides their case. */
const mostSlips = 2;

/**
 * `talaria secret set NAME`: the file `secrets/NAME` beside the configuration, of mode 600. A running installation that names it
 * takes it into use by itself. The text comes from a person who types it unseen, or from standard input, without its last line break.
 */
export async function setSecret(options: Options, name = ""): Promise<void> {
  if (!/^[A-Za-z0-9][\w.-]{0,127}$/.test(name))
    throw new Error(
      "the name of a secret must be 1 to 128 letters, digits, `.`, `_` or `-`, and begin with a letter or digit",
    );
  const home = locateHome(options, process.env);
  if (options.new !== true) await refuseSlip(home, name);
  const file = join(folderOf(home.configFile), name);
  const text = process.stdin.isTTY === true ? await askFor(name) : await readInput();
  if (text.trim() === "") throw new Error("the secret is empty: nothing was written");
  if (Buffer.byteLength(text) > mostBytes) throw new Error("a secret has at most 64 KiB: nothing was written");
  const fault = faultOfKey(text);
  if (fault !== undefined)
    throw new Error(`the secret ${fault}: copy it again, without what is around it. Nothing was written`);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw explainFullDisk(error, dirname(home.configFile));
  });
  await replacePrivately(file, `${text}\n`);
  console.log(`written: ${file}`);
  const words = await useWords(home, name, file);
  if (words !== undefined) console.log(words);
}

/** What `secret set` calls a file. Undefined: it is in no folder of secrets beside the configuration. */
export function secretName(configFile: string, file: string): string | undefined {
  return dirname(file) === folderOf(configFile) ? basename(file) : undefined;
}

function folderOf(configFile: string): string {
  return join(dirname(configFile), "secrets");
}

/** Nobody would use the file. */
async function refuseSlip({ configFile }: Home, name: string): Promise<void> {
  const checked = await checkFile(configFile, process.env);
  const names = (checked?.secretFiles ?? []).flatMap((file) => secretName(configFile, file) ?? []);
  const near = names.find((one) => editDistance(one.toLowerCase(), name.toLowerCase()) <= mostSlips);
  if (near === undefined || names.includes(name)) return;
  throw new Error(
    `the configuration names no secret ${name}: did you mean "${near}"? Nothing was written. It names ${names.join(", ")}; \`--new\` writes another one`,
  );
}

/** Whether, and when, what runs takes the file into use. Undefined: nothing runs. */
async function useWords(home: Home, name: string, file: string): Promise<string | undefined> {
  const { checked, faults } = await freshFaults(home);
  if (checked !== undefined && faults.length > 0)
    return `it is not used while the configuration is wrong:\n${faults.join("\n")}`;
  if (checked?.secretFiles.includes(file) !== true)
    return `the configuration does not name it yet: write { file: secrets/${name} } where the secret belongs`;
  return (await isHomeServed(home.dir)) ? "Talaria takes it into use within seconds" : undefined;
}

async function askFor(name: string): Promise<string> {
  using interview = new LineInterview();
  return (await interview.ask(`${name} (not shown): `, true)).trim();
}

async function readInput(): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of process.stdin) {
    parts.push(part);
    bytes += part.length;
    if (bytes > mostBytes + 2) break;
  }
  return Buffer.concat(parts)
    .toString("utf8")
    .replace(/\r?\n$/, "");
}
