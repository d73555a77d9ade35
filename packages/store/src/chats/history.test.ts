import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type Choice, type InboundEvent, type MediaRef, type MessageId } from "@talaria/protocol";
import { entryOf, limits, never, newWorker, said, startOf, textOf } from "../test-store.ts";
import { useWebChats } from "./web-chats.fixture.ts";

describe("the history of a conversation", () => {
  const chats = useWebChats();
  const { say, reply, key, lines, place, session, eventIn, sql } = chats;

  /** Claims a session of the console and begins a turn with everything that waits. */
  async function begin(name: string) {
    const worker = await newWorker(chats.store);
    const claimed = await chats.store.turns.claim(session(name), worker, limits);
    assert.ok(claimed !== undefined);
    const start = { ...startOf(claimed), route: place(name) };
    await chats.store.turns.begin(claimed.lease, start);
    return { lease: claimed.lease, turnId: start.turnId };
  }

  async function end(name: string, turn: Awaited<ReturnType<typeof begin>>, outcome: "completed" | "failed") {
    const { lease, turnId } = turn;
    const reason = outcome === "failed" ? { reason: "overloaded" } : {};
    const text = textOf(`reply:${turnId}`, name, { kind: "reply", conversation: place(name), turnId });
    await chats.store.turns.commit(lease, { turnId, outcome, ...reason, entries: [said("end")], outbox: [text] });
  }

  it("goes back to the first line, without a gap where many are of one instant", async () => {
    for (let n = 0; n < 9; n += 1) {
      await say(`h-${n}`, "long");
      await reply(`r-${n}`, "long");
    }
    await sql("update inbox set recorded_at = '2026-01-01T10:00:00.123456Z' where conversation_id = 'long'");
    await sql("update outbox set created_at = '2026-01-01T10:00:00.123456Z' where conversation_id = 'long'");
    const seen: string[] = [];
    let before: string | undefined;
    do {
      const page = await chats.store.chats.history(key("long"), 4, before);
      seen.unshift(...page.lines.map(({ id }) => id));
      before = page.next;
    } while (before !== undefined);
    assert.deepEqual(
      seen,
      (await lines("long")).map(({ id }) => id),
    );
    assert.equal(new Set(seen).size, 18);
  });

  it("still takes an instant, before which everything is", async () => {
    await say("b-1", "before");
    await say("b-2", "before");
    await sql(
      "update inbox set recorded_at = '2026-01-01T10:00:00Z'::timestamptz + seq * interval '1 second' where conversation_id = 'before'",
    );
    const [, second] = await lines("before");
    const older = await chats.store.chats.history(key("before"), 10, second!.at);
    assert.deepEqual(
      older.lines.map(({ id }) => id),
      ["b-1"],
    );
    for (const bad of ["", "now", "2026", "infinity", "2026-01-01T10:00:00Z'--", "2026-13-01T10:00:00Z"])
      await assert.rejects(chats.store.chats.history(key("before"), 10, bad), { code: "invalid_request" }, bad);
    for (const odd of [
      "2026-01-01T10:00:01.000000Z~",
      "2026-01-01T10:00:01.000000Z~x'1",
      "2026-01-01T10:00:01Z~i99999999999999999999",
    ])
      assert.deepEqual((await chats.store.chats.history(key("before"), 10, odd)).lines, []);
  });

  it("shows what people typed as commands and pressed as buttons, by the words on those", async () => {
    const choices: readonly Choice[] = [{ id: "approve-0a1b2c3d", label: "Approve <b>it</b>" }];
    await chats.store.outbox.add([textOf("asked", "done", { conversation: place("done"), choices })]);
    const settle = async (event: InboundEvent, outcome: "command" | "ignored" = "command") =>
      chats.store.inbox.settle({ event, outcome, reason: "command:x" });
    await settle(eventIn("c-1", "done", "/status"));
    await settle(eventIn("c-1", "done", "/status"));
    await settle(eventIn("c-2", "done", "not for us"), "ignored");
    const { message: _, ...common } = eventIn("c-3", "done") as InboundEvent & { type: "message.created" };
    const pressed = { ...common, type: "action.invoked", messageId: brandAs<MessageId>("asked") } as const;
    await settle({ ...pressed, actionId: "approve-0a1b2c3d" } as InboundEvent);
    await settle({ ...pressed, id: brandAs<typeof pressed.id>("c-4"), actionId: "stop" } as InboundEvent);
    assert.deepEqual(
      (await lines("done")).map(({ from, markdown, did, of }) => [from, markdown, did, of]),
      [
        ["agent", "text of asked", undefined, undefined],
        ["person", "/status", "command", undefined],
        ["person", "Approve <b>it</b>", "press", "asked"],
        ["person", "Stop", "press", "asked"],
      ],
    );
  });

  it("keeps the beginning of a command that is very long", async () => {
    const event = eventIn("c-long", "huge", `/title ${"😀".repeat(50_000)}`);
    await chats.store.inbox.settle({ event, outcome: "command", reason: "command:title" });
    const [line] = await lines("huge");
    assert.ok(line!.markdown.startsWith("/title 😀") && line!.markdown.length <= 4_000);
  });

  it("tells why an answer failed, and that it can be tried again as long as it is the newest", async () => {
    await say("f-1", "failing");
    const turn = await begin("failing");
    await end("failing", turn, "failed");
    const failureOf = async () => (await lines("failing")).find(({ outcome }) => outcome === "failed")?.failure;
    assert.deepEqual(await failureOf(), { code: "overloaded", canRetry: true });
    assert.equal(await chats.store.chats.retriable(session("failing")), turn.turnId);

    await say("f-2", "failing");
    assert.deepEqual(await failureOf(), { code: "overloaded", canRetry: false });
    assert.equal(await chats.store.chats.retriable(session("failing")), undefined);
    await end("failing", await begin("failing"), "completed");
    assert.deepEqual(await failureOf(), { code: "overloaded", canRetry: false });
  });

  it("a retry means one turn alone where it names one", async () => {
    await say("t-1", "again");
    const first = await begin("again");
    await end("again", first, "failed");
    await say("t-2", "again");
    const second = await begin("again");
    await end("again", second, "failed");
    const retry = async (id: string, turnId: typeof first.turnId) => {
      const effect = { kind: "retry", sessionKey: session("again"), turnId } as const;
      const settled = await chats.store.inbox.settle({
        ...{ event: eventIn(id, "again", "/retry"), outcome: "command", reason: "command:retry", effect },
      } as const);
      return settled.outcome === "settled" && settled.applied;
    };
    assert.equal(await retry("again-1", first.turnId), false);
    assert.equal(await retry("again-2", second.turnId), true);
    assert.equal(await retry("again-3", second.turnId), false, "it waits already");
  });

  it("has the answer so far, and what runs", async () => {
    await say("g-1", "growing");
    assert.equal(await chats.store.chats.running(key("growing")), undefined);
    const { lease, turnId } = await begin("growing");
    const call = (kind: string, callId: string, more: object = {}) =>
      ({ kind, callId, name: "run", ...more }) as { kind: string };
    await chats.store.turns.append(lease, turnId, [
      call("tool.started", "1", { doing: "running ls" }),
      call("tool.result", "1", { content: "a" }),
      call("tool.started", "2", { doing: "running npm test" }),
    ]);
    await chats.store.turns.savePartial(lease, turnId, "The sales of");
    const running = await chats.store.chats.running(key("growing"));
    const { startedAt, ...rest } = running!;
    assert.deepEqual(rest, { turnId, text: "The sales of", isAsking: false, doing: "running npm test" });
    assert.ok(!Number.isNaN(Date.parse(startedAt)));
    await end("growing", { lease, turnId }, "completed");
    assert.equal(await chats.store.chats.running(key("growing")), undefined);
  });

  it("tells of each call of a question how it stands: who decided, when, and until when it waits", async () => {
    await say("q-1", "asking");
    const { lease, turnId } = await begin("asking");
    const ask = (id: string, expiresAt: string) => ({
      ask: {
        ...{ id, callId: `call-${id}`, name: "run", arguments: "{}", waitsFor: "approval", shown: "run ls" },
        ...{ approver: "owner", askers: [], expiresAt },
      },
      texts: [
        textOf(`ask:${turnId}:call-${id}`, "asking", {
          ...{ conversation: place("asking"), kind: "reply", turnId },
          choices: [{ id: `approve-${id}`, label: "Approve" }],
        }),
      ],
    });
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    const asks = [ask("0000000a", inAnHour), ask("0000000b", inAnHour), ask("0000000c", inAnHour)];
    await chats.store.turns.append(lease, turnId, [said("x")], asks as never);
    await sql("update open_call set expires_at = now() - interval '1 hour' where id = '0000000c'");
    const event = eventIn("q-2", "asking", "approve");
    const by = { ...event.sender, displayName: "Grace" };
    const decision = {
      kind: "decide",
      sessionKey: session("asking"),
      id: "0000000a",
      settlement: "approved",
      by,
    } as const;
    await chats.store.inbox.settle({ event, outcome: "command", reason: "command:approve", effect: decision as never });
    const asked = (await lines("asking")).filter(({ id }) => id.startsWith("ask:"));
    const [first, second, third] = asked.map(({ outcomes }) => outcomes?.[0]);
    assert.deepEqual([first?.settlement, first?.by, typeof first?.at], ["approved", "Grace", "string"]);
    assert.equal(first?.expiresAt?.slice(0, 16), inAnHour.slice(0, 16));
    assert.deepEqual([second?.settlement, second?.at, second?.isLate], [undefined, undefined, undefined]);
    assert.deepEqual([third?.settlement, third?.isLate], [undefined, true]);
    const list = await chats.list();
    assert.equal(list.chats.find(({ conversationId }) => conversationId === "asking")?.waiting, 1);
  });

  it("has the files of all its lines, and of no other conversation", async () => {
    const ref = brandAs<MediaRef>(`sha256:${"a".repeat(64)}`);
    const attachments = [{ kind: "file", ref, name: "old.csv", mimeType: "text/csv", byteLength: 3 }] as const;
    await chats.store.outbox.add([textOf("file-1", "files", { conversation: place("files"), attachments })]);
    await sql(`insert into outbox (delivery_key, account_id, conversation_id, kind, body)
               select 'more-' || n, account_id, conversation_id, kind, body - 'attachments'
                 from outbox cross join generate_series(1, 600) as n where delivery_key = 'file-1'`);
    const { file } = chats.store.chats;
    const { kind: _, ...found } = attachments[0];
    assert.deepEqual(await file(key("files"), ref), found);
    assert.equal(await file(key("files"), `sha256:${"b".repeat(64)}`), undefined);
    assert.equal(await file(key("long"), ref), undefined);
    await chats.list();
    await chats.store.chats.forget({ ...key("files"), sessionKey: session("files"), why: "x" }, never);
    assert.equal(await file(key("files"), ref), undefined);
  });

  it("has what a platform's people sent by the refs of the store, as soon as it was fetched, and as what it is", async () => {
    const { store } = chats;
    const entry = entryOf("sent-1", "sent");
    const { event, route } = entry;
    assert.ok(event.type === "message.created");
    const attachments = ["pic", "later"].map((name) => ({
      ...({ kind: "file", mimeType: "image/png", byteLength: 9_999 } as const),
      ...{ name, ref: brandAs<MediaRef>(`platform:${name}`) },
    }));
    await store.inbox.record({ ...entry, event: { ...event, message: { ...event.message, attachments } } });
    const content = new Blob(["all is well"]).stream();
    const media = await store.media.put(
      content,
      "image/png",
      { maxBytes: 1_000, maxPixels: 1, quotaBytes: 1_000_000 },
      never,
    );
    const { accountId } = route;
    await store.media.settle({ accountId, eventId: event.id, n: 0 }, { state: "stored", media });
    const [line] = (await store.chats.history(route, 10)).lines;
    const kept = { ref: media.ref, name: "pic", mimeType: "text/plain", byteLength: 11 };
    assert.deepEqual(line?.files, [
      kept,
      { ref: "platform:later", name: "later", mimeType: "image/png", byteLength: 9_999 },
    ]);
    assert.deepEqual(await store.chats.file(route, media.ref), kept);
    assert.equal((await store.chats.file(key("sent"), media.ref))?.name, undefined, "another account's");
    assert.equal(await store.chats.file({ ...route, conversationId: brandAs("elsewhere") }, media.ref), undefined);
    await sql(`delete from media where sha256 = decode('${media.ref.slice(7)}', 'hex')`);
    const [after] = (await store.chats.history(route, 10)).lines;
    assert.equal(after?.files?.[0]?.ref, "platform:pic", "what is not kept any more");
    assert.equal(await store.chats.file(route, media.ref), undefined);
  });

  it("of other accounts is the same", async () => {
    await chats.store.inbox.record(entryOf("e-1", "else"));
    const { route } = entryOf("e-1", "else");
    const { lines: found } = await chats.store.chats.history(route, 10);
    assert.deepEqual(
      found.map(({ id, displayName }) => [id, displayName]),
      [["e-1", "Ada"]],
    );
  });
});
