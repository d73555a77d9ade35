import type { Adapter, AdapterDeps, PlatformModule, SetupGuide, SetupQuestion } from "@talaria/adapter";
import { loadPlatform, platformNames } from "@talaria/platforms";
import { type AccountId, brandAs, GatewayError, type Sender, systemClock } from "@talaria/protocol";
import { platformWordsIn } from "@talaria/sessions";
import type { SeenPerson } from "@talaria/store";
import { type LoadedHome, loadHome } from "../load-home.ts";
import { checkAccount } from "../setup/check-account.ts";
import { givenKeys, plainValue } from "../setup/given-keys.ts";
import type { Interview } from "../setup/interview.ts";
import type { OwnerOffer } from "../setup/offer-owner.ts";
import { openInterview } from "../setup/open-interview.ts";
import { setupOf } from "../setup/owner-note.ts";
import { KeysRefused, proveRoundTrip } from "../setup/prove.ts";
import { tellNext } from "../setup/tell-next.ts";
import { terminalLog } from "../setup/terminal-log.ts";
import { lacksOwner, type NewAccount, platformOf, writeAccount } from "../setup/write-account.ts";
import { shownWord } from "../shown-word.ts";

type Options = Record<string, string | boolean | undefined>;

const say = (line: string) => console.log(line);

/** `talaria setup [PLATFORM]`: asks for the keys, proves a round trip, writes the account. Nothing is written before the proof. */
export async function setup(options: Options, platform?: string): Promise<void> {
  if (platform === undefined) return (await import("./setup-all.ts")).setupAll(options, setup);
  if (platform === "model") return (await import("./setup-model.ts")).setupModel(options);
  if (platform === "sandbox") return (await import("./setup-sandbox.ts")).setupSandbox(options);
  const module = await loadPlatform(platform);
  if (module === undefined)
    throw new Error(
      `${shownWord(platform)} can't be set up: it has to be one of ${platformNames.join(", ")}, model or sandbox`,
    );
  const guide = module.setup;
  // The file that setup is about to write need not exist yet.
  const { home, config } = await loadHome(options, process.env, { mayBeNew: true });
  const name = typeof options.account === "string" ? options.account : `${platform}-main`;
  const given = givenKeys(options);
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name))
    throw new Error(`--account ${shownWord(name)}: a name has lower-case letters, digits and dashes, at most 63`);
  using interview = await openInterview();
  const before = await platformOf(home.configFile, name);
  if (before !== undefined) {
    if (await makesOwner({ interview, platform, name, home, config }, options)) return;
    await demandConsent(interview, name, before === platform);
  }
  for (const [n, step] of guide.steps.entries()) say(`${n + 1}. ${step}`);
  say("");
  const { account, sender } = await askAndProve({ interview, guide, module, name, given, home, config }, options);
  let proven: Principal | undefined;
  if (sender === undefined) say("Not proven: nothing was sent or received.");
  else {
    say(`${JSON.stringify(sender.displayName)} wrote, and was answered.`);
    proven = await askAbout(sender, { interview, platform, name, configFile: home.configFile });
  }
  // From here on, Ctrl-C is an ordinary signal.
  interview[Symbol.dispose]();
  const files = await writeAccount(home.configFile, {
    ...account,
    ...(proven && { allowed: proven.principal }),
    ...(proven?.isOwner ? { owner: proven.principal } : {}),
  });
  say(`Written: account ${name} in ${home.configFile}; secrets in ${files.join(", ") || "no file"}.`);
  if (options.next !== false) await tellNext(options, { account: name });
}

interface Principal {
  readonly principal: string;
  readonly isOwner: boolean;
}

/** Whoever wrote first need not be whom the operator means, so a bare Enter gives no rights. Undefined: not let in. */
async function askAbout(
  sender: Sender,
  asking: Pick<OwnerOffer, "interview" | "platform" | "name" | "configFile">,
): Promise<Principal | undefined> {
  const { interview, platform, name, configFile } = asking;
  const isOwner = sender.assurance !== "claimed" && (await lacksOwner(configFile));
  const isWelcome = isOwner
    ? await interview.confirm(`Make ${whoIs(sender)} the owner, who may do everything?`, "no")
    : await interview.confirm(`May ${whoIs(sender)} talk to the agent?`, "no");
  const principal = `${platform}:user:${sender.userId}`;
  if (isWelcome && !isOwner && sender.assurance !== "claimed")
    say(
      `If they are an owner, add ${principal} to owners in the configuration: an owner is one only where their id is.`,
    );
  if (isWelcome) return { principal, isOwner };
  if (isOwner)
    say(
      `There is no owner yet: ${setupOf(platform, name)} offers it again and leaves the account as it is, or name one under owners in the configuration.`,
    );
  return undefined;
}

/** Whether somebody was made the owner of an account that is there: then it stays as it is. */
async function makesOwner(
  {
    interview,
    platform,
    name,
    home,
    config,
  }: Pick<Setting, "interview" | "name" | "home" | "config"> & { platform: string },
  options: Options,
): Promise<boolean> {
  if (options.proof === false || config.accounts[name]?.platform !== platform) return false;
  const { configFile } = home;
  const seen = () => seenPeople(options);
  const { offerOwner } = await import("../setup/offer-owner.ts");
  if (!(await offerOwner({ interview, configFile, name, platform, seen, say }))) return false;
  if (options.next !== false) await tellNext(options, { account: name });
  return true;
}

/** Nobody where the database can't be asked: setup works without one. */
async function seenPeople(options: Options): Promise<readonly SeenPerson[]> {
  const { withStore } = await import("../open-store.ts");
  return withStore(options, ({ pairing }) => pairing.seen()).catch(() => []);
}

function whoIs({ displayName, userId }: Sender): string {
  return `${JSON.stringify(displayName)} (${userId})`;
}

interface Setting extends Pick<LoadedHome, "home" | "config"> {
  readonly interview: Interview;
  readonly guide: SetupGuide;
  readonly module: PlatformModule;
  readonly name: string;
  readonly given: ReadonlyMap<string, string>;
}

interface Proven {
  readonly account: NewAccount;
  /** Who wrote to the account; undefined when no proof was wanted. */
  readonly sender: Sender | undefined;
}

/** Asks for the keys, and asks a person at a terminal again when they are wrong. */
async function askAndProve(setting: Setting, options: Options): Promise<Proven> {
  const { interview, guide, module, name, given, home, config } = setting;
  for (;;) {
    const account = await askFor(guide, interview, name, module.name, given);
    try {
      const adapter = await createAdapter(home.configFile, account, module).catch((error: Error) => {
        throw new KeysRefused(error.message, { cause: error });
      });
      if (options.proof === false) return { account, sender: undefined };
      const greet = guide.greet.replaceAll("<account>", name);
      return { account, sender: await proveRoundTrip(adapter, { config, greet, say, log: terminalLog(say) }) };
    } catch (error) {
      if (!(error instanceof KeysRefused) || !interview.isInteractive) throw error;
      say(`${whileAsking(error.message)}\nTry again, or end with Ctrl-C.`);
    }
  }
}

/** Whoever is being asked for a key need not be told where to set it. */
function whileAsking(hint: string): string {
  return hint.replace(/ and set it as (?:`[\w.]+`(?: and )?)+/g, "");
}

async function demandConsent(interview: Interview, name: string, isSame: boolean): Promise<void> {
  const change = isSame
    ? "Set it up anew? What you aren't asked for stays as it is."
    : "Replace it, with everything that is set for it?";
  const text = `There is an account ${name} already. ${change}`;
  if (await interview.confirm(text, "no")) return;
  throw new Error(`account ${name} stays as it is and nothing was written: --account NAME sets up another one`);
}

async function askFor(
  guide: SetupGuide,
  interview: Interview,
  name: string,
  platform: string,
  given: ReadonlyMap<string, string>,
): Promise<NewAccount> {
  const entry: Record<string, unknown> = { platform, ...guide.settings };
  const secrets: Record<string, string> = {};
  for (const question of guide.questions) {
    const { key, secret, form } = question;
    if ([...given.keys()].some((whole) => key.startsWith(`${whole}.`))) continue;
    const answer = given.get(key) ?? (await interview.answer(question));
    if (answer === undefined) continue;
    if (secret) secrets[key] = answer;
    else entry[key] = typedValue(answer, form);
  }
  const asked = new Set(guide.questions.map(({ key }) => key));
  for (const [key, text] of given) if (!asked.has(key)) entry[key] = plainValue(text);
  return { name, entry, secrets };
}

/** What should be a number and isn't stays text: the check of the account reports it. */
function typedValue(answer: string, form: SetupQuestion["form"]): unknown {
  if (form === "list") return answer.split(/[\s,]+/).filter((item) => item !== "");
  return form === "number" && /^\d+$/.test(answer) ? Number(answer) : answer;
}

async function createAdapter(configFile: string, account: NewAccount, platform: PlatformModule): Promise<Adapter> {
  const { settings, proxy } = await checkAccount(configFile, account);
  const create = await platform.load();
  return create(settings, { ...trialDeps(account.name), ...(proxy && { proxy: new URL(proxy) }) });
}

/** An adapter on trial remembers nothing: what it generates meanwhile is generated again by the first real start. */
function trialDeps(name: string): AdapterDeps {
  const memory = new Map<string, string>();
  return {
    id: brandAs<AccountId>(name),
    log: terminalLog(say),
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
    wordsIn: platformWordsIn,
    countUnreadable: () => undefined,
    catchUpMs: 60_000,
    isTrial: true,
  };
}
