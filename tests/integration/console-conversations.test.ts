import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { callTool, hold, modelFault, say } from "@talaria/testkit";
import { waitFor } from "../support/wait-for.ts";
import { startWorld, type World } from "../support/world.ts";

interface Line {
  readonly id: string;
  readonly from: string;
  readonly markdown: string;
  readonly turnId?: string;
  readonly did?: string;
  readonly of?: string;
  readonly files?: readonly { readonly ref: string; readonly name: string }[];
  readonly choices?: readonly { readonly id: string; readonly label: string }[];
  readonly question?: {
    readonly state: string;
    readonly calls: readonly { readonly state: string; readonly by?: string }[];
  };
  readonly failure?: { readonly code: string; readonly canRetry: boolean };
}

interface Page {
  readonly messages: readonly Line[];
  readonly next?: string;
  readonly running?: { readonly turnId: string; readonly text: string; readonly state: string };
}

interface Listed {
  readonly key: string;
  readonly id?: string;
  readonly platform: string;
  readonly title: string;
  readonly preview: string;
  readonly unread?: number;
  readonly isRunning: boolean;
  readonly waiting: number;
}

describe("the console's conversations, over HTTP", () => {
  let world: World;
  let ada: ReturnType<World["telegram"]["user"]>;

  before(async () => {
    world = await startWorld({
      telegram: { bots: [{ token: "700000077:conversations" }] },
      config: (telegram) => {
        ada = telegram.user({ first_name: "Ada", last_name: "Lovelace" });
        return `
policy:
  rules:
    - { ask: The time is a secret, tool: current_time }
    - { ask: The time is a secret, tool: current_time, as: owner }
accounts:
  bot:
    platform: telegram
    token: "700000077:conversations"
    apiRoot: "${telegram.apiRoot}"
    access: { direct: open }
`;
      },
    });
  });
  after(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  async function call<Body>(method: string, path: string, body?: object, status = 200): Promise<Body> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await world.talaria.fetch(`/api/conversations${path}`, { method, ...sent });
    const text = await response.text();
    assert.equal(response.status, status, `${method} ${path}: ${text}`);
    return (text === "" ? {} : JSON.parse(text)) as Body;
  }

  const pageOf = (id: string) => call<Page>("GET", `/${id}/messages`);
  const list = async (query = "") => (await call<{ conversations: readonly Listed[] }>("GET", query)).conversations;
  const listed = async (id: string) => (await list()).find((one) => one.id === id);
  const lineOf = (id: string, isIt: (line: Line) => boolean, what: string) =>
    waitFor(async () => (await pageOf(id)).messages.find(isIt), what);

  it("lists what was said there and on other platforms, finds it, and shows it to whoever has the token", async () => {
    world.plan.answer("Where is the café?", say("Round the **corner**."));
    await world.talaria.say("trip", "Where is the café?");
    await world.talaria.waitForLine("trip", /corner/);
    const chat = world.telegram.privateChat(ada);
    world.plan.answer("telegram words", say("An answer there."));
    chat.say(ada, "telegram words");
    await chat.waitForBotMessage("An answer there.");

    const own = await listed("trip");
    assert.deepEqual(
      [own?.title, own?.preview, own?.unread, own?.isRunning, own?.waiting],
      ["Where is the café?", "Round the corner.", 1, false, 0],
    );
    assert.ok((await list()).every(({ platform }) => platform === "web"));
    const [other] = (await list("?platform=all")).filter(({ platform }) => platform === "telegram");
    assert.deepEqual([other?.title, other?.preview, other?.id], ["Ada Lovelace", "An answer there.", undefined]);
    const history = await call<Page>("GET", `/${other?.key}/history`);
    assert.deepEqual(
      history.messages.map(({ from, markdown }) => [from, markdown]),
      [
        ["person", "telegram words"],
        ["agent", "An answer there."],
      ],
    );
    assert.deepEqual(
      (await list("?query=CAFE")).map(({ id }) => id),
      ["trip"],
    );
    assert.deepEqual(await list("?query=telegram"), []);
    assert.deepEqual(
      (await list("?query=telegram&platform=all")).map(({ key }) => key),
      [other?.key],
    );
    for (const path of ["", "?platform=all", `/${other?.key}/history`])
      assert.equal((await fetch(`${world.talaria.url}/api/conversations${path}`)).status, 401, path);
  });

  it("gives whoever has the token the files of other platforms, of both sides", async () => {
    const chat = world.telegram.privateChat(ada);
    world.plan.answer(
      "keep this",
      callTool("send_file", { name: "notes.txt", content: "all is well" }),
      say("Kept, and noted."),
    );
    chat.sendDocument(ada, { name: "sales.csv", mimeType: "text/csv", bytes: Buffer.from("May,12") }, "keep this");
    await chat.waitForBotMessage("Kept, and noted.");
    const key = (await list("?platform=all")).find(({ platform }) => platform === "telegram")?.key;
    const { messages } = await call<Page>("GET", `/${key}/history`);
    const files = messages.flatMap(({ files: sent = [] }) => sent);
    assert.deepEqual(
      files.map(({ name }) => name),
      ["sales.csv", "notes.txt"],
    );
    const contents = files.map(async ({ ref }) => {
      const path = `/api/conversations/${key}/history/files/${encodeURIComponent(ref)}`;
      return await (await world.talaria.fetch(path)).text();
    });
    assert.deepEqual(await Promise.all(contents), ["May,12", "all is well"]);
    const turnId = messages.findLast(({ from }) => from === "agent")?.turnId;
    const { steps } = await call<{ steps: readonly object[] }>("GET", `/${key}/history/steps/${turnId}`);
    assert.equal(steps.length, 1);
  });

  it("tells a page that the list is another one, also when that was on another platform", async () => {
    const leaving = new AbortController();
    const { body } = await world.talaria.fetch("/api/conversations/quiet/stream?news", { signal: leaving.signal });
    const pieces = (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    let seen = "";
    const until = async (event: string) => {
      while (!seen.includes(event)) seen += (await pieces.read()).value ?? assert.fail(`the stream ended: ${seen}`);
    };
    world.telegram.privateChat(ada).say(ada, "from there");
    await until('event: changed\ndata: {"elsewhere":true}');
    await world.talaria.say("loud", "from here");
    await until("event: changed\ndata: {}");
    leaving.abort();
  });

  it("keeps a name, and what was read", async () => {
    await call("PATCH", "/trip", { title: "Paris" });
    assert.equal((await listed("trip"))?.title, "Paris");
    assert.deepEqual(
      (await list("?query=paris")).map(({ id }) => id),
      ["trip"],
    );
    const { messages } = await call<{ messages: readonly { at: string }[] }>("GET", "/trip/messages");
    assert.deepEqual(await call("POST", "/trip/read", { upTo: messages.at(-1)?.at }), { unread: 0 });
    assert.equal((await listed("trip"))?.unread, 0);
    await call("PATCH", "/nowhere", { title: "x" }, 404);
  });

  it("shows a question, the press that decided it and a typed command after a reload", async () => {
    world.plan.answer("what time is it?", callTool("current_time", {}), say("It is late."));
    await world.talaria.say("asked", "what time is it?");
    const asked = await lineOf("asked", ({ choices }) => choices !== undefined, "a question");
    assert.deepEqual([asked.question?.state, asked.question?.calls[0]?.state], ["waiting", "waiting"]);
    const waits = await listed("asked");
    assert.deepEqual([waits?.isRunning, waits?.waiting], [true, 1]);
    await waitFor(async () => (await pageOf("asked")).running?.state === "waiting", "the turn only waits");
    const approve = asked.choices?.find(({ label }) => label === "Approve");
    await world.talaria.press("asked", asked.id, approve?.id ?? "");
    await world.talaria.waitForLine("asked", /It is late/);
    await world.talaria.say("asked", "/whoami");
    const typed = await lineOf("asked", ({ did }) => did === "command", "the command");
    const { messages } = await pageOf("asked");
    const pressed = messages.find(({ did }) => did === "press");
    assert.deepEqual([pressed?.from, pressed?.markdown, pressed?.of], ["person", "Approve", asked.id]);
    assert.deepEqual([typed.from, typed.markdown], ["person", "/whoami"]);
    const [decided] = messages.find(({ id }) => id === asked.id)?.question?.calls ?? [];
    assert.deepEqual([decided?.state, decided?.by], ["approved", "Operator"]);
    assert.equal((await listed("asked"))?.waiting, 0);
  });

  it("shows an answer in progress with its words so far", async () => {
    const going = Promise.withResolvers<void>();
    world.plan.answer(
      "take your time",
      [...say("Let me look. "), ...callTool("todo", { read: true })],
      hold(going.promise),
    );
    await world.talaria.say("growing", "take your time");
    const running = await waitFor(async () => {
      const found = (await pageOf("growing")).running;
      return found?.text.includes("Let me look.") ? found : undefined;
    }, "the words so far");
    assert.equal(running.state, "running");
    assert.equal((await listed("growing"))?.isRunning, true);
    await world.talaria.press("growing", running.turnId, "stop");
    going.resolve();
    await waitFor(async () => (await pageOf("growing")).running === undefined, "the end of it");
    const stop = (await pageOf("growing")).messages.find(({ did }) => did === "press");
    assert.equal(stop?.markdown, "Stop");
  });

  it("tries a failed answer again, once", async () => {
    world.plan.answer("fail once", modelFault.unauthorized(), say("Now it works."));
    await world.talaria.say("failing", "fail once");
    const failed = await lineOf("failing", ({ failure }) => failure !== undefined, "a failed answer");
    assert.deepEqual(failed.failure, { code: "auth", canRetry: true });
    const { turnId } = failed;
    await call("POST", "/failing/retry", { turnId: "another" }, 409);
    await call("POST", "/failing/retry", { turnId }, 202);
    await world.talaria.waitForLine("failing", /Now it works/);
    await call("POST", "/failing/retry", { turnId }, 409);
    const { messages } = await pageOf("failing");
    assert.deepEqual(messages.find(({ id }) => id === failed.id)?.failure, { code: "auth", canRetry: false });
    assert.equal(messages.filter(({ markdown }) => markdown === "fail once").length, 1);
  });

  it("deletes a conversation whose answer grows, and begins anew under its id", async () => {
    const going = Promise.withResolvers<void>();
    world.plan.answer(
      "the zanzibar plan",
      [...say("Zanzibar words. "), ...callTool("todo", { read: true })],
      hold(going.promise),
    );
    await world.talaria.say("gone", "the zanzibar plan");
    await waitFor(async () => (await pageOf("gone")).running?.text.includes("Zanzibar"), "a growing answer");
    await call("DELETE", "/gone", undefined, 204);
    going.resolve();
    await call("DELETE", "/gone", undefined, 204);
    assert.deepEqual(await list("?query=zanzibar"), []);
    assert.equal(await listed("gone"), undefined);
    world.plan.answer("a new start", say("Hello again."));
    await world.talaria.say("gone", "a new start");
    await world.talaria.waitForLine("gone", /Hello again/);
    assert.deepEqual(
      (await pageOf("gone")).messages.map(({ markdown }) => markdown),
      ["a new start", "Hello again."],
    );
    const last = world.model.requests.findLast(({ lastUserText }) => lastUserText.includes("a new start"));
    assert.ok(!JSON.stringify(last?.messages).includes("zanzibar plan"));
  });
});
