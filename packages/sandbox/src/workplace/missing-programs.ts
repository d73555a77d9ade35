import { stat } from "node:fs/promises";
import { join } from "node:path";
import { Lacking, type Remedy } from "./lacking.ts";
import { readMachine } from "./machine.ts";
import { type Package, packageRemedy } from "./package-remedy.ts";

/** What commands can't do without. */
const needed: readonly (readonly [string, Package])[] = [
  ["bwrap", "bubblewrap"],
  ["nsenter", "util-linux"],
  ["prlimit", "util-linux"],
  ["bash", "bash"],
];
/** What a network for them, and a browser, need as well: one command installs everything. */
const wanted: readonly (readonly [string, Package])[] = [
  ["socat", "socat"],
  ["rg", "ripgrep"],
];

/** Throws `unsupported` where one of the programs isn't there that bubblewrap is called with, with the command that installs it. */
export async function checkPrograms(): Promise<void> {
  const missing = await absent(needed);
  if (missing.length === 0) return;
  const packages = [...new Set([...missing, ...(await absent(wanted))].map(([, name]) => name))];
  const remedy = packageRemedy(packages, await readMachine());
  const advice = remedy === undefined ? `; install ${packages.join(", ")}` : "";
  const names = missing.map(([program]) => program);
  throw new Lacking(`${names.join(", ")} ${names.length === 1 ? "is" : "are"} missing${advice}`, remedy);
}

/** The command that installs a package on this machine. Undefined: nobody knows. */
export async function missingPackage(name: Package): Promise<Remedy | undefined> {
  return packageRemedy([name], await readMachine());
}

async function absent<Entry extends readonly [string, Package]>(entries: readonly Entry[]): Promise<readonly Entry[]> {
  const found = await Promise.all(entries.map(([program]) => isThere(program)));
  return entries.filter((_, index) => found[index] === false);
}

async function isThere(program: string): Promise<boolean> {
  const folders = ["/usr/bin", "/bin", "/usr/sbin", "/usr/local/bin"];
  const found = await Promise.all(
    folders.map((folder) =>
      stat(join(folder, program)).then(
        (file) => file.isFile(),
        () => false,
      ),
    ),
  );
  return found.includes(true);
}
