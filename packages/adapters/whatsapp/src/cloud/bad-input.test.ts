import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type InboundEvent, inboundEventSchema } from "@talaria/protocol";
import { environmentProxy, startTrap } from "@talaria/testkit";
import { failureOf, openCloudWorld } from "../testing/cloud-world.ts";
import { maxBodyBytes } from "./webhook.ts";

type World = Awaited<ReturnType<typeof openCloudWorld>>;

const good = { from: "4915550000001", id: "wamid.good", timestamp: "1", type: "text", text: { body: "good" } };

interface Parts {
  readonly number?: string;
  readonly messages?: readonly unknown[];
  readonly statuses?: readonly unknown[];
  readonly contacts?: unknown;
  readonly field?: string;
}

function notification({ server }: World, ...changes: readonly Parts[]): string {
  const entry = changes.map(({ number = server.phoneNumberId, field = "messages", ...value }) => ({
    id: "1",
    changes: [{ field, value: { metadata: { display_phone_number: "1", phone_number_id: number }, ...value } }],
  }));
  return JSON.stringify({ object: "whatsapp_business_account", entry });
}

const texts = (events: readonly InboundEvent[]) =>
  events.map((event) => (event.type === "message.created" ? event.message.markdown : event.type));

/** Refused: the answer's status, and nobody got in. */
const refused: readonly [name: string, status: number, post: (world: World) => Promise<Response>][] = [
  ["no signature", 401, (world) => world.server.post(notification(world, { messages: [good] }), null)],
  ["an empty signature", 401, (world) => world.server.post(notification(world, { messages: [good] }), "")],
  [
    "a signature without its prefix",
    401,
    (world) => {
      const body = notification(world, { messages: [good] });
      return world.server.post(body, world.server.signatureOf(body).slice("sha256=".length));
    },
  ],
  [
    "a cut signature",
    401,
    (world) => {
      const body = notification(world, { messages: [good] });
      return world.server.post(body, world.server.signatureOf(body).slice(0, -1));
    },
  ],
  [
    "a signature of another body",
    401,
    (world) => world.server.post(notification(world, { messages: [good] }), world.server.signatureOf("{}")),
  ],
  [
    "a body that was rewritten after signing",
    401,
    (world) => {
      const body = notification(world, { messages: [{ ...good, text: { body: "\u{1F600}" } }] });
      const escaped = body.replaceAll("\u{1F600}", "\\ud83d\\ude00");
      return world.server.post(body, world.server.signatureOf(escaped));
    },
  ],
  ["no JSON", 400, (world) => world.server.post("{")],
  ["letters that are no UTF-8", 400, (world) => world.server.post(Buffer.from([0x22, 0xff, 0x22]))],
  ["another kind of object", 400, (world) => world.server.post(JSON.stringify({ object: "page", entry: [] }))],
  ["null", 400, (world) => world.server.post("null")],
  ["a list", 400, (world) => world.server.post("[]")],
  ["very deep JSON", 400, (world) => world.server.post("[".repeat(50_000) + "]".repeat(50_000))],
  ["an oversize body", 413, (world) => world.server.post("x".repeat(maxBodyBytes + 1))],
  [
    "a giant batch",
    413,
    (world) => world.server.post(notification(world, { messages: Array.from({ length: 1_001 }, () => good) })),
  ],
  [
    "another number's events",
    403,
    (world) => world.server.post(notification(world, { number: "1", messages: [good] })),
  ],
];

describe("bad input to the cloud api's webhook", () => {
  for (const [name, status, post] of refused)
    it(`answers ${status} to ${name}, and goes on`, async () => {
      await using world = await openCloudWorld();
      assert.equal((await post(world)).status, status);
      assert.deepEqual(world.host.offered, []);
      world.ada.say("still there?");
      assert.deepEqual(texts(await world.host.recorded(1)), ["still there?"]);
    });

  for (const [name, query] of [
    ["a wrong verify token", "hub.mode=subscribe&hub.verify_token=guess&hub.challenge=123"],
    ["no verify token", "hub.mode=subscribe&hub.challenge=123"],
    ["another mode", "hub.mode=unsubscribe&hub.verify_token=TOKEN&hub.challenge=123"],
    ["a long challenge", `hub.mode=subscribe&hub.verify_token=TOKEN&hub.challenge=${"1".repeat(257)}`],
    ["a challenge of markup", "hub.mode=subscribe&hub.verify_token=TOKEN&hub.challenge=%3Cscript%3E"],
    ["nothing", ""],
  ] as const)
    it(`refuses the question with ${name}`, async () => {
      await using world = await openCloudWorld();
      const response = await fetch(`${world.callback}?${query.replace("TOKEN", world.server.verifyToken)}`);
      assert.equal(response.status, 403);
      assert.doesNotMatch(await response.text(), /123|script/);
    });

  it("echoes the challenge to who knows the token, as plain text", async () => {
    await using world = await openCloudWorld();
    await world.server.subscribe(world.callback);
    const query = `hub.mode=subscribe&hub.verify_token=${world.server.verifyToken}&hub.challenge=1158201444`;
    const response = await fetch(`${world.callback}?${query}`);
    assert.match(response.headers.get("content-type") ?? "", /^text\/plain/);
  });

  it("takes the good items of a notification beside ones that can't be read", async () => {
    await using world = await openCloudWorld();
    const now = String(Math.floor(Date.now() / 1_000));
    const fresh = { ...good, timestamp: now };
    const bad = [
      null,
      [],
      "text",
      {},
      { ...fresh, id: undefined },
      { ...fresh, id: "" },
      { ...fresh, id: "x".repeat(600) },
      { ...fresh, from: undefined },
      { ...fresh, from: "" },
      { ...fresh, from: "\u0000" },
      { ...fresh, from: "../x" },
      { ...fresh, timestamp: "soon" },
      { ...fresh, group_id: "120363" },
      { ...fresh, type: "reaction", reaction: { message_id: 7 } },
    ];
    const statuses = [null, {}, { id: "wamid.x", status: "delivered" }, { id: 7, status: "read", timestamp: now }];
    const body = notification(
      world,
      { field: "account_update", messages: [{ ...fresh, id: "wamid.other-field" }] },
      { messages: [{ ...fresh, id: "wamid.1" }, ...bad, { ...fresh, id: "wamid.2" }], contacts: "none", statuses },
      { number: "1", messages: [{ ...fresh, id: "wamid.not-ours" }] },
    );
    assert.equal((await world.server.post(body)).status, 200);
    assert.deepEqual(
      world.host.events.map(({ id }) => id),
      ["wamid.1", "wamid.2"],
    );
    assert.deepEqual(world.host.receipts, []);
  });

  it("gives an exact replay the same event id", async () => {
    await using world = await openCloudWorld();
    const fresh = { ...good, timestamp: String(Math.floor(Date.now() / 1_000)) };
    const body = notification(world, { messages: [fresh] });
    await Promise.all([world.server.post(body), world.server.post(body)]);
    assert.deepEqual(
      world.host.offered.map(({ id }) => id),
      ["wamid.good", "wamid.good"],
    );
  });

  it("leaves out what is older than the catch-up time, so that an old replay wakes nobody", async () => {
    await using world = await openCloudWorld({ deps: { catchUpMs: 60_000 } });
    const seconds = Math.floor(Date.now() / 1_000);
    const old = { ...good, timestamp: String(seconds - 120) };
    const body = notification(world, { messages: [old, { ...good, id: "wamid.new", timestamp: String(seconds) }] });
    assert.equal((await world.server.post(body)).status, 200);
    assert.deepEqual(
      world.host.events.map(({ id }) => id),
      ["wamid.new"],
    );
  });

  for (const timestamp of ["99999999999", "9007199254740993", "-5", "0", 1e300])
    it(`does not believe the time ${timestamp}`, async () => {
      await using world = await openCloudWorld();
      const before = Date.now();
      await world.server.post(notification(world, { messages: [{ ...good, timestamp }] }));
      const [event] = world.host.events;
      const at = Date.parse(event?.occurredAt ?? "");
      assert.ok(at >= before && at <= Date.now(), event?.occurredAt);
      assert.deepEqual(inboundEventSchema.parse(event), event);
    });

  for (const [name, shown] of [
    ["+4915550000099", "+4915550000099"],
    ["Ada\u202E\u200B Lovelace\n\u0000", "Ada Lovelace"],
    ["\u200F", "+4915550000001"],
    ["x".repeat(10_000), "x".repeat(80)],
  ] as const)
    it(`lets the name ${JSON.stringify(name.slice(0, 20))} stand for nobody else`, async () => {
      await using world = await openCloudWorld();
      const contacts = [{ wa_id: good.from, profile: { name } }];
      const fresh = { ...good, timestamp: String(Math.floor(Date.now() / 1_000)) };
      await world.server.post(notification(world, { messages: [fresh], contacts }));
      const [event] = world.host.events;
      assert.equal(event?.sender.displayName, shown);
      assert.equal(event?.sender.userId, good.from);
    });

  it("records several messages of one notification in their order, and answers once all are", async () => {
    await using world = await openCloudWorld();
    const { ada, server, host } = world;
    const bob = server.person("Bob");
    const release = host.hold();
    server.together(() => {
      ada.say("one");
      bob.say("two");
      ada.say("three");
    });
    await host.until(() => host.offered.length === 1, "the first is offered");
    await host.calm();
    assert.equal(server.waiting, 1);
    host.refuse(1);
    release();
    await host.until(() => server.waiting === 0, "the notification is taken");
    assert.deepEqual([...new Set(texts(host.events))], ["one", "two", "three"]);
    assert.ok(server.failedPosts >= 1);
  });

  it("takes notifications that overtake one another", async () => {
    await using world = await openCloudWorld();
    world.server.reverseNext();
    world.ada.say("first");
    world.ada.say("second");
    assert.deepEqual(texts(await world.host.recorded(2)), ["second", "first"]);
  });

  it("sends the token only to Meta's hosts", async () => {
    await using world = await openCloudWorld();
    const { createCloudClient } = await import("./client.ts");
    const { url: apiRoot, accessToken } = world.server;
    const config = { apiRoot, accessToken, apiVersion: "v25.0" } as Parameters<typeof createCloudClient>[0];
    const api = createCloudClient(config);
    for (const url of [
      "http://169.254.169.254/latest",
      "https://lookaside.fbsbx.com.evil.example/x",
      "https://evilfbsbx.com/x",
      "http://lookaside.fbsbx.com/x",
      "https://lookaside.fbsbx.com:8443/x",
      "https://fbsbx.com@evil.example/x",
      "file:///etc/passwd",
      "not an address",
    ])
      await assert.rejects(api.download(url, AbortSignal.timeout(120_000)), /outside its own hosts/, url);
  });

  it("follows no redirect with the token, nor takes another address for Meta's", async () => {
    await using world = await openCloudWorld();
    await using trap = await startTrap();
    world.ada.send({ kind: "image", bytes: Uint8Array.of(1), mimeType: "image/png" });
    const [event] = await world.host.recorded(1);
    const [file] = event?.type === "message.created" ? event.message.attachments : [];
    assert.ok(file);
    const open = () => world.adapter.openMedia?.(file.ref, AbortSignal.timeout(120_000)) ?? Promise.reject();
    for (const action of ["media", "download"] as const)
      for (const status of [301, 302, 307, 308]) {
        world.server.fail(action, { kind: "answer", status, body: "", location: `${trap.url}/x`, effect: "none" });
        assert.notEqual((await failureOf(open())).code, "not_found");
      }
    const body = JSON.stringify({ url: `${trap.url}/x` });
    world.server.fail("media", { kind: "answer", status: 200, body, effect: "none" });
    assert.equal((await failureOf(open())).code, "forbidden");
    assert.deepEqual(trap.visits, []);
  });

  it("takes no word for an outcome that every object has", async () => {
    await using world = await openCloudWorld();
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const statuses = ["constructor", "__proto__", "toString"].map((status) => ({
      id: "wamid.x",
      status,
      timestamp,
      recipient_id: good.from,
    }));
    assert.equal((await world.server.post(notification(world, { statuses }))).status, 200);
    assert.deepEqual(world.host.receipts, []);
  });
});

it("F06 a proxy that the environment names is not asked", async () => {
  await using proxy = await environmentProxy(process.env);
  await using world = await openCloudWorld();
  world.ada.send({ kind: "image", bytes: Uint8Array.of(1), mimeType: "image/png" });
  const [event] = await world.host.recorded(1);
  const [file] = event?.type === "message.created" ? event.message.attachments : [];
  assert.ok(file);
  const stream = await world.adapter.openMedia?.(file.ref, AbortSignal.timeout(120_000));
  assert.equal((await new Response(stream).bytes()).byteLength, 1);
  assert.equal(proxy.asked(), 0);
});
