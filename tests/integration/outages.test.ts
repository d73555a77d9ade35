import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { hold, type ModelServer, type Place, type PlatformStage, say, startModelServer } from "@talaria/testkit";
import pg from "pg";
import { freePort } from "../support/free-port.ts";
import { Installation } from "../support/installation.ts";
import { ModelPlan } from "../support/model-plan.ts";
import { type Failing, failings, OutageProxy } from "../support/outage-proxy.ts";
import { stages } from "../support/platforms/stages.ts";
import { type SmtpFailing, SmtpOutage, smtpFailings } from "../support/smtp-outage.ts";
import { waitFor } from "../support/wait-for.ts";

const mark = "(Sent again: it may have arrived before.)";
/** Those after which everybody knows what has happened: the answer stands there once. */
const isPlain: ReadonlySet<Failing | SmtpFailing> = new Set<Failing | SmtpFailing>([
  ...(["refused connections", "429 without a number", "slow answers"] as const),
  ...(["421 instead of a greeting", "connections that close at once"] as const),
  ...(["451 to the mail", "bytes that are no SMTP"] as const),
]);
/** Nothing but a mail finds out that these go on, so the second one may be sent in vain as well. */
const takesMore: ReadonlySet<Failing | SmtpFailing> = new Set<Failing | SmtpFailing>([
  "connections that close after the mail was taken",
  "half an answer after the mail was taken",
]);
/** How long nobody gets through, once somebody has tried: until the message itself was posted in vain, not only its preview. */
const outageMs = 3_000;
const patienceMs = 120_000;

interface World {
  readonly stage: PlatformStage;
  readonly outage: Outage;
}

interface Outage extends AsyncDisposable {
  readonly failed: number;
  begin(failing: Failing | SmtpFailing): Promise<void>;
  end(): Promise<void>;
}

interface Expected {
  readonly place: Place;
  readonly answer: string;
  readonly most: number;
  /**
   * So many messages of unknown outcome may have shown the whole answer while it grew, where that is a message: a preview is waited for by
   * nobody.
   */
  readonly previews: number;
}

/** One gateway on every platform, with something before each of them that fails. What people say arrives all the while. */
describe("while a platform has an outage", () => {
  const plan = new ModelPlan();
  const worlds = new Map<string, World>();
  const expected: Expected[] = [];
  const closing = new AsyncDisposableStack();
  let talaria: Installation;
  let model: ModelServer;
  let database: pg.Client;

  before(async () => {
    model = await startModelServer({ respond: plan.respond });
    closing.defer(() => model.stop());
    const port = await freePort();
    const accounts: Record<string, object> = {};
    for (const [name, start] of stages) {
      const stage = closing.use(await start());
      const { account, outage } = name === "email" ? await beforeSmtp(stage) : await beforeHttp(stage);
      closing.use(outage);
      accounts[accountOf(name)] = account;
      await stage.reachedAt(`http://127.0.0.1:${port}`);
      worlds.set(name, { stage, outage });
    }
    const models = { main: { provider: "openai-chat", baseUrl: model.baseUrl, apiKey: "test-key", model: "test" } };
    const config = `models: ${JSON.stringify(models)}\naccounts: ${JSON.stringify(accounts)}\n`;
    talaria = await Installation.start({ config, port, database: "shared" });
    closing.defer(() => talaria.remove());
    database = new pg.Client({ connectionString: talaria.databaseUrl });
    closing.defer(() => database.end());
    await database.connect();
    for (const name of worlds.keys())
      await waitFor(
        async () => (await talaria.connectionOf(accountOf(name))) === "connected",
        `${name} to connect`,
        30_000,
      );
  });

  after(() => closing.disposeAsync());

  for (const failing of failings)
    describe(`with ${failing}`, { concurrency: true }, () => {
      for (const [name] of stages)
        if (name !== "email") it(`every answer arrives on ${name}`, () => answersArrive(name, failing));
    });

  describe("of mail", () => {
    for (const failing of smtpFailings)
      it(`with ${failing}, every answer arrives`, () => answersArrive("email", failing));
  });

  it("none is given up, and none stands there twice without a mark", async () => {
    const backlog = async () => JSON.parse(await talaria.talaria("status", "--json")).backlog;
    await waitFor(async () => (await backlog()).pendingDeliveries === 0, "nothing to wait any more", patienceMs);
    assert.equal((await backlog()).failedDeliveries, 0);
    for (const { place, answer, most, previews } of expected) {
      const copies = copiesOf(place, answer);
      assert.ok(copies.length >= 1 && copies.length <= most + previews, `${copies.length} times ${answer}`);
      assert.ok(
        copies.slice(1 + Math.max(0, copies.length - most)).every((text) => text.includes(mark)),
        copies.join("\n"),
      );
    }
  });

  async function answersArrive(name: string, failing: Failing | SmtpFailing): Promise<void> {
    const { stage, outage } = worlds.get(name) ?? assert.fail(`${name} has not begun`);
    const places = [stage.direct, ...(stage.group === undefined ? [] : [stage.group])];
    const words = places.map((_, n) => `${name} ${failing} ${n}`);
    const gate = Promise.withResolvers<void>();
    for (const text of words) plan.answer(text, [...hold(gate.promise), ...say(`Answer to ${text}.`)]);
    await Promise.all(places.map((place, n) => place.say("ada", words[n] ?? "", { mention: n > 0 })));
    const isAsked = (text: string) => model.waitForRequest((asked) => asked.lastUserText.includes(text));
    await Promise.all(words.map(isAsked));
    await outage.begin(failing);
    gate.resolve();
    if (failing !== "refused connections") await waitFor(() => outage.failed > 0, "somebody to try");
    await new Promise((resolve) => setTimeout(resolve, outageMs));
    await outage.end();
    for (const [n, place] of places.entries()) {
      const answer = `Answer to ${words[n]}.`;
      const hasArrived = () => copiesOf(place, answer).length > 0;
      await waitFor(hasArrived, `${answer}\n${place.glance().slice(-500)}\n${talaria.output}`, patienceMs);
      const most = takesMore.has(failing) ? 3 : 2;
      const isOnce = stage.neverDoubles || isPlain.has(failing);
      expected.push({ place, answer, most: isOnce ? 1 : most, previews: isOnce || n === 0 ? 0 : 1 });
    }
    await waitFor(() => isSettled(name), `what ${name} has taken without a word to be sent again`, patienceMs);
  }

  /** An answer that is still to be sent again would meet the next outage with that, and arrive once more. */
  async function isSettled(name: string): Promise<boolean> {
    const waiting = "select from talaria.outbox where account_id = $1 and state = 'pending' limit 1";
    return (await database.query(waiting, [accountOf(name)])).rowCount === 0;
  }
});

function copiesOf(place: Place, answer: string): readonly string[] {
  const texts = place.answers().map(({ text }) => text.replaceAll(/\s+/g, " "));
  return texts.filter((text) => text.includes(answer));
}

/** The emulator of WhatsApp calls this account. */
function accountOf(platform: string): string {
  return platform === "whatsapp" ? "main" : platform;
}

interface Fronted {
  readonly account: Readonly<Record<string, unknown>>;
  readonly outage: Outage;
}

async function beforeHttp({ account }: PlatformStage): Promise<Fronted> {
  const settings = JSON.stringify(account);
  const [origin = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(settings) ?? [];
  const outage = await OutageProxy.before(origin);
  return { account: JSON.parse(settings.replaceAll(origin, outage.origin)), outage };
}

async function beforeSmtp({ account }: PlatformStage): Promise<Fronted> {
  const { smtp } = account as { readonly smtp: { readonly port: number } };
  const outage = await SmtpOutage.before(smtp.port);
  return { account: { ...account, smtp: { ...smtp, port: outage.port } }, outage };
}
