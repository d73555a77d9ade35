import assert from "node:assert/strict";
import { it } from "node:test";
import { createTestDatabase } from "@talaria/postgres";
import {
  type AccountId,
  brandAs,
  type Conversation,
  type ConversationId,
  type SessionKey,
  silentLog,
  systemClock,
  type UserId,
} from "@talaria/protocol";
import { createStore, migrate, type ProblemFacts } from "@talaria/store";
import { messageFrom } from "@talaria/testkit";
import { tellProblems } from "./problem-watch.ts";

const home: Conversation = {
  accountId: brandAs<AccountId>("main"),
  platform: "loopback",
  conversationId: brandAs<ConversationId>("den"),
  kind: "direct",
};
const at = "2026-11-26T14:39:00.000Z";

it("owners are told of what has to be mended, but not of commands that are missing, and that it is over", async () => {
  const { url, drop } = await createTestDatabase();
  await migrate(url, silentLog);
  const secretKey = new Uint8Array(32).fill(7);
  const store = createStore({ url, log: silentLog, clock: systemClock, secretKey, maxConnections: 3 });
  try {
    await store.inbox.settle({
      event: messageFrom({ account: "main", conversation: "den" }),
      outcome: "command",
      reason: "command:sethome",
      effect: {
        kind: "home",
        sessionKey: brandAs<SessionKey>("main/den"),
        userId: brandAs<UserId>("boss"),
        conversation: home,
      },
    });
    const delivered: string[] = [];
    let noted: readonly string[] = [];
    let isAnswered = false;
    const look = (workers: readonly object[], accounts: readonly object[] = [], places?: object, planned?: object) =>
      tellProblems({
        facts: async () =>
          ({
            living: [{ kind: "gateway", stats: {} }, ...workers],
            accounts,
            models: ["big"],
            places,
            planned,
            now: 0,
          }) as unknown as ProblemFacts,
        named: store.operations.named,
        problems: {
          ...store.problems,
          hasAnsweredSince: async () => isAnswered,
          note: (problems, sound) => {
            noted = problems.map(({ key }) => key);
            return store.problems.note(problems, sound);
          },
        },
        deliver: (accountId) => delivered.push(accountId),
        log: silentLog,
      });
    const worker = (models: readonly object[], workplace?: object) => ({
      kind: "worker",
      stats: { models, workplace },
    });
    const refused = {
      model: "big",
      at,
      code: "auth",
      line: "model big: its key is refused",
      since: at,
      isPassing: false,
    };
    await look([worker([], { works: false, line: "bwrap is missing" })]);
    await look([], [], undefined, { kind: "restart", since: at });
    assert.deepEqual(noted, [], "nobody waits for a planned restart to become a problem");
    await look([]);
    assert.deepEqual(noted, ["worker"]);
    assert.deepEqual(delivered, [], "neither commands, nor a worker that is only just missing");
    isAnswered = true;
    await look([worker([refused])]);
    assert.deepEqual(noted, [], "somebody was answered after its last failure");
    isAnswered = false;
    await look([worker([refused])]);
    await look([worker([refused])]);
    const other = {
      accountId: "other",
      platform: "telegram",
      holder: "g",
      connection: { status: "needs-operator", code: "unauthorized" },
    };
    await look([worker([refused])], [other]);
    await look([worker([{ model: "big", at }])], [{ ...other, connection: { status: "connected" } }]);
    const place = { accountId: "other", platform: "telegram", conversationId: "42", name: "Eve" };
    const shut = [{ ...place, code: "forbidden", at: new Date().toISOString() }];
    await look([worker([])], [], { shut, opened: [] });
    await look([worker([])], [], { shut, opened: [place] });
    await look([worker([])], [], { shut: [], opened: [place] });
    assert.deepEqual(delivered, ["main", "main", "main", "main", "main"]);
    const { lines } = await store.chats.history(home, 20);
    assert.deepEqual(
      lines.slice(1).map(({ markdown }) => markdown.split("\n")[0]),
      [
        "People get no answers from me. Model big: its key is refused.",
        "People get no answers from me. Account other (telegram) is refused, unauthorized. Run `talaria setup telegram --account other`.",
        "It's over: model big answers again.",
        "It's over: account other is connected again.",
        "Messages of mine don't arrive. Account other (telegram) may not write to `Eve` (`42`). They have blocked the agent, or it was removed from the group or lost the right to write there. What was for them is given up: `talaria why` shows it, and `talaria status` how to send answers again.",
        "It's over: account other can write to `42` again.",
      ],
    );
  } finally {
    await store.close();
    await drop();
  }
});
