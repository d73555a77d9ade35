import { createHash, createHmac } from "node:crypto";
import type { BotAccount, GroupChat, PrivateChat, TelegramServer } from "@talaria/adapter-telegram/emulator";
import { startWorld, type World } from "../../support/world.ts";

type Person = ReturnType<TelegramServer["user"]>;

const tokens = {
  guarded: "700000001:guarded",
  pairing: "700000002:pairing",
  pushed: "700000003:pushed",
  open: "700000004:open",
};
export const secrets = {
  ours: "9f3kL0-our-own-value-Zq8",
  theirs: "x7Vb2-of-somebody-else-Q1",
  former: "h5Tn8-from-last-year-Wd4",
  revoked: "k2Jm6-taken-back-Rr9-Ee3",
  standard: `whsec_${Buffer.from("0123456789-standard-key-!").toString("base64")}`,
};
/** What Telegram proves itself with to the account that it pushes to. */
export const pushSecret = createHash("sha256").update(`telegram-webhook:${tokens.pushed}`).digest("base64url");

/** An installation with people who may, and people who may not. */
export interface Setting extends AsyncDisposable {
  readonly world: World;
  /** Access by list: the owner in direct, the team as a group. */
  readonly guarded: BotAccount;
  /** Access by pairing. */
  readonly pairing: BotAccount;
  /** Everybody may write. */
  readonly open: BotAccount;
  readonly owner: Person;
  readonly ownerChat: PrivateChat;
  readonly team: GroupChat;
}

export async function startSetting(): Promise<Setting> {
  let setting: Omit<Setting, "world" | keyof AsyncDisposable> | undefined;
  const world = await startWorld({
    database: "embedded",
    telegram: { bots: Object.values(tokens).map((token) => ({ token })) },
    config: (telegram, port) => {
      const [guarded, pairing, , open] = telegram.bots;
      if (guarded === undefined || pairing === undefined || open === undefined) throw new Error("there are four bots");
      const owner = telegram.user({ id: 12_345, first_name: "Olive", last_name: "Owner", username: "olive" });
      const ownerChat = telegram.privateChat(owner, guarded);
      const team = telegram.group({ title: "Team", type: "supergroup", members: [owner], botIsAdministrator: true }, [
        guarded,
      ]);
      setting = { guarded, pairing, open, owner, ownerChat, team };
      return configuration(telegram.apiRoot, team.id, port);
    },
  });
  if (setting === undefined) throw new Error("the configuration was never asked for");
  return { ...setting, world, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

export function hexOf(body: string | Uint8Array, secret = secrets.ours, algorithm = "sha256"): string {
  return createHmac(algorithm, secret).update(body).digest("hex");
}

/** A configuration with everything right, and below it everything wrong that may not stop what is right. */
function configuration(apiRoot: string, teamId: number, port: number): string {
  const telegram = (token: string, more: string) =>
    `{ platform: telegram, token: "${token}", apiRoot: "${apiRoot}", ${more} }`;
  const webhook = (scheme: string, secret: string, more = "") =>
    `{ scheme: ${scheme}, secret: "${secret}", prompt: "{{ body.text }}", wait: true${more} }`;
  return `
accounts:
  guarded: ${telegram(tokens.guarded, `access: { direct: allowlist, groups: allowlist, allow: ["telegram:user:12345", "telegram:group:${teamId}"] }`)}
  pairing: ${telegram(tokens.pairing, "access: { groups: off }")}
  pushed: ${telegram(tokens.pushed, `mode: webhook, webhookUrl: "http://127.0.0.1:${port}"`)}
  open: ${telegram(tokens.open, "access: { direct: open }")}
  a01: ${telegram("1:a", "access: { direct: allowlist }")}
  a17: ${telegram("1:a", "access: { direct: allowlist, allow: [] }")}
  a02a: ${telegram("1:a", 'access: { allow: [""] }')}
  a02b: ${telegram("1:a", 'access: { allow: ["*"] }')}
  a05a: ${telegram("1:a", 'access: { allow: ["@olive"] }')}
  a05b: ${telegram("1:a", 'access: { allow: ["telegram:user:olive"] }')}
  a04: ${telegram("1:a", 'access: { allow: ["telegram:user:012345"] }')}
  a07: ${telegram("1:a", 'access: { allow: ["telegram:group:Team"] }')}
  j08: ${telegram("1:a", "acess: {}")}
  j05: { platform: telegrm, token: "1:a" }
  k07: { platform: telegram, token: { file: /nowhere/token } }
webhooks:
  gh: ${webhook("github", secrets.ours, ", maxBodyBytes: 50000")}
  gh2: ${webhook("github", secrets.ours)}
  foreign: ${webhook("github", secrets.theirs)}
  hm: ${webhook("hmac", secrets.ours)}
  tok: ${webhook("token", secrets.ours)}
  std: ${webhook("standard", secrets.standard)}
  rotated: { scheme: hmac, secrets: ["${secrets.ours}", "${secrets.former}"], prompt: "{{ body.text }}", wait: true }
  b02a: { scheme: github, prompt: x, wait: true }
  b02b: ${webhook("github", "")}
  b02c: ${webhook("github", "********************")}
  b02d: ${webhook("github", "changeme-changeme-changeme")}
  b02e: ${webhook("github", "short")}
  b21: { scheme: github, secret: "${secrets.ours}", prompt: x, callbackUrl: "file:///etc/passwd" }
`;
}
