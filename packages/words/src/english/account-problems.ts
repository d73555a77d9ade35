import type { AccountTrouble, ProblemPhrases } from "@talaria/store";
import { secretPlaces } from "./secret-places.ts";

type AccountPhrases = Pick<ProblemPhrases, "accountRefused" | "accountLinking" | "accountLost" | "accountHeld">;

/** Of an account that takes or delivers nothing. A changed file is in use within seconds. */
export const accountProblems: AccountPhrases = {
  accountRefused: (account) => `${nameOf(account)} is refused, ${account.code}: ${refusedRemedy(account)}`,
  accountLinking: (account) =>
    `${nameOf(account)} waits to be linked: \`talaria status\` shows the code, and so does the console`,
  accountLost: (account) =>
    `${nameOf(account)} can't reach its platform, ${account.code}: it goes on trying; ${lostRemedy(account)}`,
  accountHeld: (account) => {
    const { code, reason = code, since } = account;
    const trouble = code === "unauthorized" ? "is refused" : "can't deliver";
    return `${nameOf(account)} ${trouble}, ${reason}, since ${since}: ${heldRemedy(account)}`;
  },
};

type Named = Pick<AccountTrouble, "accountId" | "platform">;

function nameOf({ accountId, platform }: Named): string {
  return `account ${accountId} (${platform})`;
}

function setupOf({ accountId, platform }: Named): string {
  return `\`talaria setup ${platform} --account ${accountId}\``;
}

function refusedRemedy(account: Parameters<AccountPhrases["accountRefused"]>[0]): string {
  const { code, hint, files } = account;
  const places = secretPlaces(files);
  if (code !== "unauthorized" || places === undefined)
    return `${hint === undefined ? "" : `${hint}; or `}run ${setupOf(account)}`;
  return `${hint === undefined ? "" : `${hint}: `}put it ${places}; it is in use within seconds`;
}

function lostRemedy({ code, accountId }: AccountTrouble): string {
  if (code === "internal") return "the log shows a mistake of Talaria, or an answer that it doesn't expect: report it";
  return `check the network, the platform's status page, and its address where accounts.${accountId} names one`;
}

/** Where it is not the platform's or the network's outage, what mends it. */
function heldRemedy(account: AccountTrouble): string {
  const { code, accountId, files } = account;
  const places = secretPlaces(files);
  if (code === "unauthorized") {
    if (places !== undefined) return `put a working token or key ${places}; it is in use within seconds`;
    return `put a working token or key where accounts.${accountId} takes it from, or run ${setupOf(account)}`;
  }
  if (code !== "conflict") return "it goes on trying; look at the platform's status page and at the network";
  const own = places === undefined ? `with ${setupOf(account)}` : `and put it ${places}`;
  return `another program uses its token: end that, or give it a token of its own ${own}`;
}
