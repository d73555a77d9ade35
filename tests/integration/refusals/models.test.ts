import { it } from "node:test";
import { notices, type TurnFailureCode } from "@talaria/agent";
import { callTool, finish, type ModelScript, modelFault, say, think } from "@talaria/testkit";
import { startWorld } from "../../support/world.ts";
import { checkChapter, type Row, steady } from "./page.ts";
import { TroubleDesk } from "./trouble-desk.ts";

const patienceMs = 120_000;
const zones = ["Europe/Berlin", "Europe/Paris", "Asia/Tokyo", "America/Lima", "Africa/Cairo", "Asia/Seoul"];
const status = (code: number): ModelScript => [
  { kind: "status", status: code, body: { error: { message: "This does not work." } } },
];
const flood: ModelScript = Array.from({ length: 45 }, () => ({ kind: "reasoning", text: "hm, ".repeat(25_000) }));

/** What the model answers, again and again, so that a turn ends with the code. A code that is added needs a case. */
const cases: Readonly<Record<TurnFailureCode, (n: number) => ModelScript>> = {
  // What lies in one question, in its answer, or in the limits of a turn.
  context_full: () => modelFault.contextTooLong(),
  thought_only: () => [...think("hm"), ...finish("length")],
  runaway: () => flood,
  refusal: () => finish("content_filter"),
  empty_answer: () => modelFault.empty(),
  step_limit: (n) => callTool("current_time", { timeZone: zones[n % zones.length] }),
  output_limit: (n) => [...say("x".repeat(2_000)), ...callTool("current_time", { timeZone: zones[n % zones.length] })],
  time_limit: () => say("slowly ".repeat(400), { pieces: 400, delayMs: 200 }),
  repetition: () => callTool("current_time", { timeZone: "Europe/Berlin" }),
  repeated_failure: () => callTool("current_time", { timeZone: "Nowhere/Never" }),
  // What keeps everybody from answers, and may pass by itself; then what lasts.
  network: () => modelFault.cutAfter("", "reset"),
  overloaded: () => modelFault.serverError(529),
  server_error: () => modelFault.serverError(),
  truncated: () => modelFault.cutAfter("Half", "end"),
  stalled: () => modelFault.silent(),
  rate_limit: () => modelFault.rateLimited(120),
  bad_request: () => status(400),
  not_found: () => modelFault.modelNotFound(),
  quota: () => modelFault.quotaExceeded(),
  auth: () => modelFault.unauthorized(),
};
const codes = Object.keys(cases) as TurnFailureCode[];
const alone = codes.slice(0, codes.indexOf("network"));
const minute = 60_000;

it("every code with which a model or a turn fails: what each side reads", async () => {
  await using world = await startWorld({
    modelKeys: "firstChunkMs: 4000, idleMs: 4000",
    env: { LOG_LEVEL: "info" },
    config: ({ token, apiRoot }) => `agent: { maxSteps: 12, turnTimeoutMs: 20000, maxReplyChars: 2000 }
accounts: { bot: { platform: telegram, token: "${token}", apiRoot: "${apiRoot}", access: { direct: open } } }`,
  });
  await using desk = new TroubleDesk(world.talaria);
  await desk.makeHome();

  /** What somebody reads who asks while the model does so. */
  const ask = async (code: TurnFailureCode) => {
    const eve = world.telegram.user({ first_name: "Eve" });
    const chat = world.telegram.privateChat(eve);
    const words = `please ${code}`;
    world.plan.answer(words, ...Array.from({ length: 40 }, (_, n) => cases[code](n)));
    chat.say(eve, words);
    const notice = notices[code].slice(0, 30);
    const { text } = await chat.waitForBotMessage(notice, patienceMs);
    return { person: steady(text.slice(text.indexOf(notice))), id: String(eve.id) };
  };
  const row = async (
    code: TurnFailureCode,
    { person, id }: Awaited<ReturnType<typeof ask>>,
    sides: Pick<Row, "owner" | "status">,
  ): Promise<Row> => {
    // Workers report what they count after all else.
    const metric = await desk.metrics(`code="${code}"`, "talaria_turn_failures_total");
    return { code, person, ...sides, why: await desk.why(id), log: await desk.log(code), metric };
  };

  const rows: Row[] = [];
  for (const [n, asked] of (await Promise.all(alone.map(ask))).entries()) {
    const code = alone[n] as TurnFailureCode;
    const sides = { owner: await desk.told("model:main", minute), status: await desk.status("model:main") };
    rows.push(await row(code, asked, sides));
  }
  for (const code of codes.slice(alone.length)) {
    const asked = await ask(code);
    const state = await desk.status("model:main", code);
    rows.push(await row(code, asked, { owner: await desk.told("model:main", minute), status: state }));
  }
  await checkChapter(
    "No answer from the model",
    "A running gateway and worker between an emulated Telegram, in which somebody writes who is no owner, and a model server that fails so. Owners read in the web chat, where one has a home. What may pass by itself they read of after a minute. The metrics of `talaria_model_failures_total` count each request, those of `talaria_turn_failures_total` each answer that somebody was told is missing.",
    rows,
  );
});
