import { type AccountConfig, checkConfig, platformsIn, secretFileReader } from "@talaria/config";
import { loadPlatforms, platformNames } from "@talaria/platforms";
import { accountText, type NewAccount } from "./write-account.ts";

/**
 * The account as `talaria start` would read it from the file that it is about to be written to. Throws all of its faults, by
 * key, and ignores the rest of the file.
 */
export async function checkAccount(configFile: string, account: NewAccount): Promise<AccountConfig> {
  const { text, files } = await accountText(configFile, account);
  const fromDisk = secretFileReader(configFile);
  const { problems, loaded } = checkConfig(text, {
    file: configFile,
    env: process.env,
    // Those of others, too: the file may have accounts and owners there.
    platforms: { names: platformNames, rules: Object.fromEntries(await loadPlatforms(platformsIn(text))) },
    readSecret: (path) => files.get(path) ?? fromDisk(path),
  });
  const place = `accounts.${account.name}`;
  const own = problems.filter(({ path }) => path === place || path.startsWith(`${place}.`));
  const accepted = loaded?.config.accounts[account.name];
  if (accepted !== undefined) return accepted;
  const lines = (own.length > 0 ? own : problems).map(({ path, message, suggestion }) => {
    const key = path.startsWith(`${place}.`) ? path.slice(place.length + 1) : path;
    return `  - ${key}: ${message}${suggestion === undefined ? "" : `; ${suggestion}`}`;
  });
  throw new Error(`these keys can't be right:\n${lines.join("\n")}`);
}
