import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { readBackup } from "../backup/read-backup.ts";
import { writeBackup } from "../backup/write-backup.ts";
import { locateHome } from "../home.ts";
import { explain, findDatabase, loadRunning, notRunning } from "../open-store.ts";
import { wordsAt } from "../shell/working-words.ts";
import { shownPath } from "../shown-word.ts";
import { isHomeServed } from "../start/home-lock.ts";
import { typedWord } from "./place-words.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

/** `talaria backup [FILE]`: of a running installation, whose work goes on. */
export async function backup(options: Options, name?: string): Promise<void> {
  const loaded = await loadRunning(options);
  const day = new Date().toISOString().slice(0, 19).replaceAll(":", "");
  const file = resolve(name ?? `talaria-${day}.backup.tar`);
  if (await isThere(file)) throw new Error(`${file} exists already: choose another name`);
  if (loaded.config.database.kind === "embedded" && !(await isHomeServed(loaded.home.dir)))
    throw new Error(
      `${notRunning(loaded.home).message}. While it is stopped, a copy of the folder does as well: docs/operations.md, "While it is stopped"`,
    );
  const url = await findDatabase(loaded);
  const { leftOut } = await writeBackup(file, url, loaded, untilEnded()).catch(async (error: unknown) => {
    throw await explain(error, loaded);
  });
  const { size } = await stat(file);
  console.log(
    `written: ${file} (${(size / 1_048_576).toFixed(1)} MiB). It holds keys and everything that was said: keep it safe`,
  );
  for (const one of leftOut) console.log(`not in it: the secret file ${one}, which is not in the folder secrets`);
}

/** `talaria restore FILE`: into a data folder that is empty or does not exist; with `--force` in place of what is there, which is kept. */
export async function restore(options: Options, name = ""): Promise<void> {
  const file = resolve(name);
  if (!(await isThere(file))) throw new Error(`there is no ${shownPath(file)}`);
  const { madeAt, version, aside } = await readBackup(file, options, (line) => console.log(line), untilEnded());
  console.log(`restored: what release ${version} wrote at ${madeAt.slice(0, 16).replace("T", " ")} UTC`);
  for (const one of aside) console.log(`what was there is kept in ${one}: remove it when nothing of it is missing`);
  const { dir } = locateHome(options, process.env);
  console.log(
    `it is in ${dir}. Stop the original first, with \`talaria stop\` where it runs: both would answer the same people`,
  );
  console.log(await wordsAt(process.stdout, `then start this one: \`talaria start --home ${typedWord(dir)}\``));
}

/** Ctrl-C removes what was begun. */
function untilEnded(): AbortSignal {
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => ending.abort(new Error("cancelled: nothing is left of it")));
  return ending.signal;
}

function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
