import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { runningGatewayUrl } from "../gateway-url.ts";
import type { LoadedHome } from "../load-home.ts";
import { loadRunning } from "../open-store.ts";
import { replacePrivately } from "../setup/write-files.ts";
import { isHomeServed } from "../start/home-lock.ts";
import { loadOrCreateToken } from "../token-file.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

const lookMs = 250;
/** A gateway finishes what it writes before its successor starts. */
const inUseMs = 120_000;

/** `talaria token show`: of the console and the API. */
export async function show(options: Options): Promise<void> {
  console.log(await tokenOf(await loadRunning(options)));
}

/**
 * `talaria token rotate`: a new token in the data folder. A running installation takes it into use, which ends all connections of the
 * former one; resolves when the gateway refuses that. Throws where the configuration sets the token.
 */
export async function rotate(options: Options): Promise<void> {
  const loaded = await loadRunning(options);
  const { config, home } = loaded;
  if (config.auth.token !== undefined)
    throw new Error(
      "auth.token of the configuration sets the token: change it there, or its file with `talaria secret set NAME`",
    );
  const token = randomBytes(32).toString("base64url");
  await replacePrivately(home.tokenFile, `${token}\n`);
  if (!(await isHomeServed(home.dir)))
    return console.log(
      `${home.tokenFile} holds a new token, which counts from the next start on: \`talaria token show\` prints it`,
    );
  await untilAccepted(loaded, token);
  console.log(
    `${home.tokenFile} holds a new token. The former one no longer works, and open consoles ask for the new one: \`talaria token show\` prints it, \`talaria open\` an address with it`,
  );
}

/** `talaria open`: the address of the console at this machine and, where it has one, at the public address. */
export async function open(options: Options): Promise<void> {
  const loaded = await loadRunning(options);
  const { config, home } = loaded;
  const token = await tokenOf(loaded);
  const { publicUrl } = config.gateway;
  for (const url of [await runningGatewayUrl(config, home), ...(publicUrl === undefined ? [] : [publicUrl])])
    console.log(`${url.replace(/\/$/, "")}/console/#token=${token}`);
}

async function tokenOf({ config, home }: LoadedHome): Promise<string> {
  return config.auth.token?.reveal() ?? (await loadOrCreateToken(home.tokenFile));
}

/** With `gateway.port: 0` the successor listens elsewhere. */
async function untilAccepted({ config, home }: LoadedHome, token: string): Promise<void> {
  const end = AbortSignal.timeout(inUseMs);
  while (!end.aborted) {
    const url = await runningGatewayUrl(config, home);
    const response = await fetch(`${url}/api/connections`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.any([end, AbortSignal.timeout(5_000)]),
    }).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok === true) return;
    await sleep(lookMs, undefined, { signal: end }).catch(() => undefined);
  }
  throw new Error(
    "the new token is written, but the gateway has not taken it into use: the output of the start or `talaria status` says why",
  );
}
