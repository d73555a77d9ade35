import { loadHome } from "../load-home.ts";
import { wordsAt } from "../shell/working-words.ts";
import { isHomeServed } from "../start/home-lock.ts";
import { nextThings } from "./next-things.ts";

/** Says how what was written comes into use, and the three things to do next. `added`: the model that was just set up. */
export async function tellNext(options: Record<string, string | boolean | undefined>, added?: string): Promise<void> {
  const { home, config } = await loadHome(options, process.env);
  const isRunning = await isHomeServed(home.dir);
  const hasOwner = Object.values(config.accounts).some(({ access }) => access.owners.length > 0);
  if (isRunning) console.log("Talaria runs, and takes it into use within seconds.");
  for (const line of nextThings({ config, isRunning, hasOwner, added }))
    console.log(await wordsAt(process.stdout, line));
}
