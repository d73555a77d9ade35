import assert from "node:assert/strict";
import { it } from "node:test";
import { startTelegramServer, type TelegramServer } from "@talaria/adapter-telegram/emulator";
import { errorTable } from "@talaria/protocol";
import type { Fault } from "@talaria/testkit";
import { english } from "@talaria/words";
import { problemLines } from "../../../apps/cli/src/commands/status-lines.ts";
import { problemsOf } from "../../../packages/store/src/index.ts";
import { waitFor } from "../../support/wait-for.ts";
import { startWorld } from "../../support/world.ts";
import { checkChapter, type Row } from "./page.ts";
import { said, TroubleDesk } from "./trouble-desk.ts";

interface Case {
  /** What each post of an answer meets, for as long as the test lasts unless `times` says how often. */
  readonly post?: Fault;
  readonly times?: number;
  /** What is wrong with the account itself. */
  readonly settings?: { readonly token?: string; readonly apiRoot?: string };
  /** What an operator sees once all that is to happen has happened: the code of its problem, its state, or what became of the message. */
  readonly shows: RegExp;
}

const answer = (code: number, description: string): Fault => ({ kind: "answer", code, description, effect: "none" });
const posts = ["sendMessage", "sendRichMessage", "sendMessageDraft", "editMessageText"];
/** Outages are told when they have lasted for two. */
const laterMs = 180_000;
const patienceMs = 120_000;
/** A database that is slow, as it is where many tests run, fails by the same code as a platform. */
const ofDatabase = ["connection state not stored", "delivery was interrupted", "account could not be acquired"];
/** The same connections may carry posts and what is asked for. */
const lost = "account has no connection; it is tried again";
/** What one text met, and that no other has arrived since. */
const shut = /^NOTE[\s\S]*given up on the way out[\s\S]*given up \(/;
const otherBot = "700000098:other";
const brokenBot = "700000097:broken";
/** Says yes, and nothing of what has been asked: no Bot API does, so that the adapter is not made for it. */
const empty: Fault = { kind: "answer", code: 200, body: '{"ok":true,"result":null}', effect: "none" };

/** What no account of this installation can meet, and why. */
const elsewhere: Readonly<Record<string, string>> = {
  aborted: "is that of a gateway that stops: the text waits for the next one, and nobody is told",
  linking:
    "is a device of WhatsApp alone, for whose server no emulator stands; its words are in `packages/store/src/operations/problems.test.ts`",
};

/** By what the account does, and the code that it meets. */
const casesWith = (other: TelegramServer, broken: TelegramServer): Readonly<Record<string, Case>> => ({
  "post: rate_limited": {
    post: { kind: "answer", code: 429, retryAfter: 1, effect: "none" },
    times: 2,
    shows: /^answered[^\n]*delivered at/,
  },
  "post: unavailable": { post: { kind: "drop", effect: "none" }, shows: /can't deliver, / },
  "post: unauthorized": { post: answer(401, "Unauthorized"), shows: /is refused, unauthorized/ },
  "post: forbidden": { post: answer(403, "Forbidden: bot was blocked by the user"), shows: shut },
  "post: not_found": { post: answer(400, "Bad Request: chat not found"), shows: shut },
  "post: unsupported": { post: answer(400, "Bad Request: REACTION_INVALID"), shows: /given up/ },
  "post: invalid_request": { post: answer(400, "Bad Request: this is no message"), shows: /given up/ },
  "post: too_large": { post: answer(413, "Request Entity Too Large"), shows: /given up/ },
  "post: conflict": { post: answer(409, "Conflict"), shows: /can't deliver, conflict/ },
  "post: internal": { post: empty, shows: /given up \(/ },
  "connect: unauthorized": { settings: { token: "700000099:wrong" }, shows: /is refused, unauthorized/ },
  "connect: unavailable": { settings: { apiRoot: "http://127.0.0.1:9" }, shows: /can't reach its platform/ },
  "connect: conflict": { settings: { token: otherBot, apiRoot: other.apiRoot }, shows: /reconnecting, conflict/ },
  "connect: internal": {
    settings: { token: brokenBot, apiRoot: broken.apiRoot },
    shows: /can't reach its platform, internal/,
  },
});

it("every code with which a platform fails: what each side reads", async () => {
  await using other = await startTelegramServer({ bots: [{ token: otherBot }] });
  other.fail("getUpdates", answer(409, "Conflict: terminated by other getUpdates request"), 1_000);
  await using broken = await startTelegramServer({ bots: [{ token: brokenBot }] });
  broken.fail("getMe", empty, 1_000);
  const cases = casesWith(other, broken);
  const names = Object.keys(cases);
  const shownCodes = names.map((name) => name.replace(/^.*: /, ""));
  assert.deepEqual(
    new Set([...shownCodes, ...Object.keys(elsewhere)]),
    new Set([...Object.keys(errorTable), "linking"]),
    "a code that is added needs a case, or a reason",
  );
  const bots = names.map((_, n) => ({ token: `7000000${n + 10}:bot` }));
  await using world = await startWorld({
    env: { LOG_LEVEL: "info" },
    telegram: { bots },
    config: ({ apiRoot }) => {
      const accounts = names.map((name, n) => {
        const settings = { token: bots[n]?.token, apiRoot, ...cases[name]?.settings };
        return `  ${idOf(name)}: ${JSON.stringify({ platform: "telegram", ...settings, access: { direct: "open" } })}`;
      });
      return `accounts:\n${accounts.join("\n")}`;
    },
  });
  await using desk = new TroubleDesk(world.talaria);
  await desk.makeHome();
  const asked = names.map((name, n) => {
    const eve = world.telegram.user({ first_name: "Eve" });
    const chat = world.telegram.privateChat(eve, world.telegram.bots[n]);
    const { post, times = 1_000 } = cases[name] ?? {};
    for (const method of posts)
      if (post !== undefined)
        world.telegram.fail(method, post, times, (call) => String(call.chat_id) === String(chat.id));
    chat.say(eve, `hello, ${name}`);
    return { chat, person: String(eve.id) };
  });

  const shown = async () => {
    const problems = problemLines(problemsOf(await desk.facts(laterMs), english.problemPhrases));
    return [
      ...problems,
      ...(await world.talaria.talaria("status")).split("\n").filter((line) => !/^(?:PROBLEM|NOTE)/.test(line)),
    ];
  };
  const statusOf = (name: string, lines: readonly string[]) => {
    const about = new RegExp(
      `account ${idOf(name)} \\(|^ +${idOf(name)} \\(|^accounts +${idOf(name)} \\(|^given up .* on ${idOf(name)} \\(`,
    );
    const found = lines.filter((line) => about.test(line) && !/: connected(?:, \d+ to deliver)?$/.test(line));
    return found.map((line) => line.replace(/^accounts +/, ""));
  };
  const status = new Map<string, readonly string[]>();
  await waitFor(
    async () => {
      // What became of a message is known before `status` is asked, which then shows it, too.
      const whys = await Promise.all(asked.map(({ person }) => desk.why(person)));
      const now = await shown();
      for (const [n, name] of names.entries()) {
        const lines = statusOf(name, now);
        const seen = [...lines, whys[n]].join("\n");
        // How many wait is told by the gateway now and then: what is given up counts among them for a moment.
        const isLate = /given up/.test(String(cases[name]?.shows)) && /can't deliver/.test(lines.join("\n"));
        if (!status.has(name) && cases[name]?.shows.test(seen) === true && !isLate) status.set(name, lines);
      }
      return status.size === names.length;
    },
    "everything to have failed",
    patienceMs,
  ).catch(() => undefined);
  assert.deepEqual(
    names.filter((name) => !status.has(name)),
    [],
    `has not come to its end:\n${(await shown()).join("\n")}`,
  );
  const owners = await desk.news(laterMs);
  const rows: Row[] = [];
  for (const [n, name] of names.entries()) {
    const [does = "", code = ""] = name.split(": ");
    const chat = asked[n]?.chat;
    rows.push({
      code: name,
      person: said(chat?.botMessages().map(({ text }) => text) ?? []),
      owner: said(
        owners.filter((text) => text.includes(`ccount ${idOf(name)} `) || text.includes(` on ${idOf(name)}`)),
      ),
      status: said(status.get(name) ?? []),
      why: (await desk.why(asked[n]?.person ?? "")) || "(no message arrives)",
      log: await desk.log(code, idOf(name), does === "post" ? [...ofDatabase, lost] : ofDatabase),
      metric: await desk.accountMetric(does, idOf(name)),
    });
  }
  const plain = rows.map((row, n) => {
    const cells = Object.entries(row).map(([side, words]) => [side, words.replaceAll(idOf(names[n] ?? ""), "main")]);
    return { ...(Object.fromEntries(cells) as unknown as Row), code: row.code };
  });
  assert.equal(plain.length, names.length);
  await checkChapter(
    "No way to the platform",
    `A running gateway and worker, and an account each at an emulated Telegram that fails so: \`post\` when the answer is posted, \`connect\` when the account asks for messages. Owners read in the web chat; what they and the first words of \`status\` say of an outage comes once it has lasted for two minutes, and of lost connections with the fifth attempt. Texts that wait are delivered when their platform takes them, for a day. ${Object.entries(
      elsewhere,
    )
      .map(([code, why]) => `\`${code}\` ${why}.`)
      .join(" ")}`,
    plain,
  );
});

function idOf(name: string): string {
  return name.replace(": ", "-").replaceAll("_", "-");
}
