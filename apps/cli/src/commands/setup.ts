import type { Adapter, AdapterDeps } from "@talaria/adapter";
import { loadPlatforms, type PlatformEntry } from "@talaria/app-gateway";
import { type AccountId, brandAs, GatewayError, type Platform, silentLog, systemClock } from "@talaria/protocol";
import { loadHome } from "../load-home.ts";
import { Interview } from "../setup/ask.ts";
import { type Guide, guides } from "../setup/guides.ts";
import { proveRoundTrip } from "../setup/prove.ts";
import { type NewAccount, nested, writeAccount } from "../setup/write-account.ts";

type Options = Record<string, string | boolean | undefined>;

const say = (line: string) => console.log(line);

/** `talaria setup PLATFORM`: asks for the keys, proves a round trip, writes the account. Nothing is written before the proof. */
export async function setup(options: Options, platform = ""): Promise<void> {
  const guide = Object.hasOwn(guides, platform) ? guides[platform] : undefined;
  const entry = (await loadPlatforms([platform])).get(platform as Platform);
  if (guide === undefined || entry === undefined)
    throw new Error(`"${platform}" can't be set up: it has to be one of ${Object.keys(guides).join(", ")}`);
  const { home, config } = await loadHome(options, process.env);
  const name = typeof options.account === "string" ? options.account : `${platform}-main`;
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name))
    throw new Error(`--account ${name}: a name has lower-case letters, digits and dashes, at most 63`);
  using interview = new Interview();
  for (const [n, step] of guide.steps.entries()) say(`${n + 1}. ${step}`);
  say("");
  const account = await askFor(guide, interview, name, { platform, ...extraKeys(options) });
  const adapter = createAdapter(account, entry);
  let allow: readonly string[] = [];
  if (options.proof === false) say("Not proven: nothing was sent or received.");
  else {
    const sender = await proveRoundTrip(adapter, { config, greet: guide.greet, say });
    say(`${JSON.stringify(sender.displayName)} wrote, and was answered.`);
    const isWelcome = await interview.confirm(`May this person (${sender.userId}) talk to the agent?`);
    if (isWelcome) allow = [`${platform}:user:${sender.userId}`];
  }
  const access = allow.length === 0 ? {} : { access: { direct: "pairing", allow } };
  const files = await writeAccount(home.configFile, { ...account, entry: { ...account.entry, ...access } });
  say(`Written: account ${name} in ${home.configFile}; secrets in ${files.join(", ") || "no file"}.`);
  say("A running installation takes it into use by itself; else: npm start.");
}

async function askFor(guide: Guide, interview: Interview, name: string, start: object): Promise<NewAccount> {
  const entry: Record<string, unknown> = { ...start };
  const secrets: Record<string, string> = {};
  for (const question of guide.questions) {
    if (question.key in entry) continue;
    const answer = await interview.answer(question);
    if (answer === undefined) continue;
    if (question.secret) secrets[question.key] = answer;
    else entry[question.key] = question.number ? Number(answer) : answer;
  }
  return { name, entry, secrets };
}

/** `--set key=value`, given once or with commas between: keys that no question asks for, such as `apiRoot`. */
function extraKeys({ set }: Options): Record<string, unknown> {
  const pairs = typeof set === "string" && set !== "" ? set.split(",") : [];
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, key, value] = /^([\w.]+)=(.*)$/s.exec(pair) ?? [];
      if (key === undefined || value === undefined) throw new Error(`--set ${pair}: expected key=value`);
      return [key, /^(?:\d+|true|false)$/.test(value) ? JSON.parse(value) : value];
    }),
  );
}

function createAdapter({ name, entry: keys, secrets }: NewAccount, { schema, create }: PlatformEntry): Adapter {
  const { platform: _, ...settings } = nested({ ...keys, ...secrets });
  const checked = schema.safeParse(settings);
  if (!checked.success) {
    const lines = checked.error.issues.map(({ path, message }) => `  - ${path.join(".")}: ${message}`);
    throw new Error(`these keys can't be right:\n${lines.join("\n")}`);
  }
  return create(settings, trialDeps(name));
}

/** An adapter on trial remembers nothing: what it makes up meanwhile is made anew by the first real start. */
function trialDeps(name: string): AdapterDeps {
  const memory = new Map<string, string>();
  return {
    id: brandAs<AccountId>(name),
    log: silentLog,
    clock: systemClock,
    store: {
      read: async (key) => memory.get(key),
      write: async (key, value) => void memory.set(key, value),
      remove: async (key) => void memory.delete(key),
    },
    media: {
      open: () => Promise.reject(new GatewayError("there are no files here", { code: "not_found" })),
    },
    commands: [],
    catchUpMs: 60_000,
  };
}
