import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { type AccountPolicy, brandAs, type TurnId } from "@talaria/protocol";
import type { EventFacts } from "@talaria/testkit";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";

/** A call of a turn has begun, as people see it. */
function started(doing: string) {
  return { kind: "tool.started" as const, callId: "call-1", name: "terminal", doing };
}

/** On the platforms whose people talk in threads, they ask below a request how far it is. */
describe("a thread below a message that is worked on", () => {
  const test = useStore();
  let desk: Desk;
  let gate: Gate;

  const gateOf = (sessions: Partial<AccountPolicy["sessions"]> = {}, threads: "talks" | "rooms" = "talks") =>
    desk.gateWith({
      traitsOf: () => ({ threads }),
      policyOf: () => {
        const policy = openGroups();
        const { access } = policy;
        const all = { ...policy.sessions, direct: "thread", groups: "thread", ...sessions } as const;
        return { ...policy, sessions: all, access: { ...access, direct: "open" } };
      },
    });

  beforeEach(() => {
    desk = test.newDesk();
    gate = gateOf();
  });

  const inDirect = { conversation: "c1" } as const;
  const inChannel = { conversation: "c1", kind: "group", mentionsSelf: true } as const;
  const request = { messageId: "root", name: "Ada" } as const;
  const thread = { thread: "root" } as const;

  async function asks(text: string, facts: EventFacts = {}, through = gate): Promise<string> {
    await through(desk.message({ ...inDirect, ...thread, text, ...facts }));
    return (await desk.notices("c1")).at(-1) ?? "";
  }

  /** The running turn is in a call that people see. */
  const beginCall = (doing = "running `make` & <b>") =>
    test.store.turns.append(desk.lease, brandAs<TurnId>(`turn-${desk.lease.sessionKey}`), [started(doing)]);
  const isStopped = async () => (await test.store.turns.cancelled(desk.lease, desk.firstSeq)) === "stopped";

  for (const [name, place] of [
    ["a direct conversation", inDirect],
    ["a channel", inChannel],
  ] as const) {
    it(`tells where that stands, what runs, and that it works: ${name}`, async () => {
      await desk.runTurn("build everything", { ...place, ...request }, gate);
      await beginCall();
      await gate(desk.message({ ...place, ...thread, text: "is it there yet?" }));
      const above =
        /^The message above this thread: I have been working on it for \d+ seconds?\. Right now: `running make & <b>`\.\n\nYour last message in it: It has been waiting/;
      assert.match(await asks("/where", place), above);
      assert.match(await asks("/processes", place), /I'm working on the message above this thread: `running make/);
      assert.match(await asks("/status", place), /^The message above this thread: I have been working on it for/);
      assert.match(await asks("/cost", place), /^That answer has used no model/);
    });

    it(`stops that, and only where nothing of its own is under way: ${name}`, async () => {
      await desk.runTurn("build everything", { ...place, ...request }, gate);
      await gate(desk.message({ ...place, ...thread, text: "is it there yet?" }));
      assert.match(await asks("/stop", place), /^Stopped\./, "its own question");
      assert.equal(await isStopped(), false);
      desk.said.length = 0;
      assert.equal(await asks("/stop", place), "Stopped.");
      assert.ok(await isStopped());
      assert.ok(
        desk.said.some((line) => line.startsWith("cancel ")),
        "its worker is told",
      );
    });
  }

  it("says nothing of the message above where people share one memory with all threads, or threads are rooms", async () => {
    const others = [gateOf({ direct: "conversation" }), gateOf({}, "rooms")];
    for (const [n, other] of others.entries()) {
      const root = `root-${n}`;
      await desk.runTurn("build", { ...inDirect, messageId: root }, other);
      assert.doesNotMatch(await asks("/where", { thread: root }, other), /above this thread/);
      await desk.endTurn();
    }
  });

  it("is another person's affair where everybody has a memory of their own", async () => {
    const own = gateOf({ groups: "sender" });
    await own(desk.message({ ...inChannel, ...request, from: "ada", text: "build" }));
    const place = { ...inChannel, from: "bob" };
    assert.equal(
      await asks("/where", place, own),
      "You have written nothing to me here yet, or that was too long ago.",
    );
    assert.match(
      await asks("/where", { ...inChannel, from: "ada" }, own),
      /^The message above this thread: It has been waiting/,
    );
    assert.equal(await asks("/stop", place, own), "There is nothing to stop.");
  });

  it("leaves it to members and whoever has asked to stop it in a channel", async () => {
    const gate = desk.gateWith({
      traitsOf: () => ({ threads: "talks" }),
      policyOf: () => ({ ...openGroups(), sessions: { direct: "thread", groups: "thread" } }),
    });
    await desk.runTurn("build", { ...inChannel, ...request, from: "guest-1" }, gate);
    await asks("/stop", { ...inChannel, from: "guest-2" }, gate);
    assert.equal(await isStopped(), false);
    await asks("/stop", { ...inChannel, from: "guest-1" }, gate);
    assert.ok(await isStopped());
  });

  it("stops nothing that somebody else asked above once the message has its answer", async () => {
    await desk.runTurn("quick", { ...inDirect, ...request }, gate);
    await desk.endTurn();
    await desk.runTurn("long", { ...inDirect, messageId: "other" }, gate);
    assert.equal(await asks("/stop"), "There is nothing to stop.");
    assert.equal(await isStopped(), false);
    assert.equal(await asks("/stop", { thread: "other" }), "Stopped.");
    assert.ok(await isStopped());
  });

  it("hears a /stop that names nobody in a channel where it would stop the message above", async () => {
    await desk.runTurn("build", { ...inChannel, ...request }, gate);
    const bare = { conversation: "c1", kind: "group", text: "/stop" } as const;
    assert.equal(await gate(desk.message({ ...bare, thread: "elsewhere" })), "dropped");
    assert.equal(await gate(desk.message({ ...bare, ...thread })), "recorded");
    assert.ok(await isStopped());
  });

  it("lists and ends the processes of the message above", async () => {
    await desk.runTurn("serve", { ...inDirect, ...request }, gate);
    const { sender, conversation } = desk.message(inDirect);
    const process = { command: "npm start", askers: [{ sender, role: "member" }], route: conversation } as const;
    const id = await desk.beginProcess(process);
    await desk.endTurn();
    assert.match(await asks("/processes"), new RegExp(`- \`${id}\`: \`npm start\``));
    assert.match(await asks("/status"), /1 process runs in the background: `\/processes` lists it\./);
    const answered =
      /It was answered \d+ seconds? ago\.\n\nWhat I started for it still runs in the background:\n\n- `\d+`: `npm start`/;
    assert.match(await asks("/where"), answered, "in the thread");
    await gate(desk.message({ ...inDirect, text: "/where", replyTo: "root" }));
    assert.match((await desk.notices("c1")).at(-1) ?? "", answered, "as a reply");
    assert.match(await asks(`/processes stop ${id}`), /^I'm ending process/);
    assert.equal(await asks("/processes"), "Nothing runs in the background here.");
  });

  it("tells the model what is under way, with every message as long as it is", async () => {
    await desk.runTurn("build everything", { ...inDirect, ...request }, gate);
    await beginCall("running make");
    const quotes = async () =>
      (await desk.pending("c1", thread)).map(({ event }) => ("message" in event ? event.message.quote?.markdown : ""));
    await gate(desk.message({ ...inDirect, ...thread, text: "is it there yet?" }));
    await gate(desk.message({ ...inDirect, ...thread, text: "and now?" }));
    const both = await quotes();
    for (const quote of both)
      assert.match(
        quote ?? "",
        /^Ada: build everything\n\nTalaria: \(now, in the conversation above this thread: I have been working on it for \d+ seconds?\. Right now: `running make`\.\)$/,
      );
    assert.equal(both.length, 2);
    await desk.endTurn();
    await gate(desk.message({ ...inDirect, ...thread, text: "done?" }));
    assert.match(
      (await quotes()).at(-1) ?? "",
      /^Ada: build everything\n\nTalaria: \(now, .*: It was answered \d+ second/,
    );
    await gate(desk.message({ ...inDirect, ...thread, text: "thanks" }));
    assert.equal((await quotes()).at(-1), undefined, "it knows");
  });

  it("tells the model once what was answered after it had heard that it is under way", async () => {
    await desk.runTurn("build everything", { ...inDirect, ...request }, gate);
    const said = async (text: string) => {
      await gate(desk.message({ ...inDirect, ...thread, text }));
      const newest = (await desk.pending("c1", thread)).at(-1)?.event;
      return newest && "message" in newest ? newest.message.quote?.markdown : "";
    };
    assert.match((await said("is it there yet?")) ?? "", /I have been working on it/);
    await desk.endTurn(undefined, [], "All 12 parts are built.");
    assert.equal(await said("done?"), "Ada: build everything\n\nTalaria: All 12 parts are built.");
    assert.equal(await said("thanks"), undefined);
  });
});
