import { loadHome } from "../load-home.ts";
import { wordsAt } from "../shell/working-words.ts";
import { isHomeServed } from "../start/home-lock.ts";
import { nextThings } from "./next-things.ts";

/**
 * Says how what was written comes into use, and the three things to do next. `added`: the model that was just set up. `account`: the account
 * that was, where only its own owners may do what an owner does.
 */
export async function tellNext(
  options: Record<string, string | boolean | undefined>,
  { added, account }: { readonly added?: string; readonly account?: string } = {},
): Promise<void> {
  const { home, config } = await loadHome(options, process.env);
  const isRunning = await isHomeServed(home.dir);
  const hasOwner = hasOwnerOn(config.accounts, account);
  if (isRunning) console.log("Talaria runs, and takes it into use within seconds.");
  for (const line of nextThings({ config, isRunning, hasOwner, added }))
    console.log(await wordsAt(process.stdout, line));
}

/** Whether anybody may do there what an owner does. `account`: on this one; else on any. */
export function hasOwnerOn(
  accounts: Readonly<Record<string, { readonly access: { readonly owners: readonly string[] } }>>,
  account?: string,
): boolean {
  return Object.entries(accounts).some(
    ([id, { access }]) => (account === undefined || id === account) && access.owners.length > 0,
  );
}
