import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { adapterDeps, memoryStore, RecordingHost } from "@talaria/testkit";
import { BufferJSON, initAuthCreds } from "@whiskeysockets/baileys";
import { whatsappConfigSchema } from "../config.ts";
import { accountId } from "../testing/cloud-world.ts";
import { startNoiseServer } from "../testing/noise-server.ts";
import { createWebAdapter } from "./adapter.ts";
import { openBaileysSocket } from "./client.ts";

/** The library leaves timers of up to a minute behind when a connection ends: they need not keep the test's process. */
const startTimer = globalThis.setTimeout;
const relaxed = (run: () => void, ms?: number) => {
  const timer = startTimer(run, ms);
  return (ms ?? 0) < 20_000 ? timer : timer.unref();
};
globalThis.setTimeout = relaxed as typeof globalThis.setTimeout;

type Server = Awaited<ReturnType<typeof startNoiseServer>>;
type OnNode = Parameters<typeof startNoiseServer>[0];

/** The adapter with the real library, connected to a server that speaks the real handshake. */
async function openLinkWorld(onNode: OnNode, settings: object = {}, creds?: object) {
  const server: Server = await startNoiseServer(onNode);
  const store = memoryStore();
  if (creds !== undefined) store.values.set("web-creds", JSON.stringify(creds, BufferJSON.replacer));
  const config = whatsappConfigSchema.parse({ mode: "web", webVersion: "2.3000.1", ...settings });
  assert.equal(config.mode, "web");
  const adapter = createWebAdapter(config, adapterDeps({ id: accountId, store }), (options) =>
    openBaileysSocket({ ...options, endpoint: server.endpoint }),
  );
  const host = new RecordingHost(30_000);
  const starting = adapter.start(host).catch(() => undefined);
  const close = async () => {
    await adapter.stop();
    await server.stop();
  };
  return { server, store, adapter, host, starting, [Symbol.asyncDispose]: close };
}

const askToLink: OnNode = async ({ tag }, peer) => {
  if (tag !== "connected") return;
  const refs = ["ref-one", "ref-two"].map((ref) => ({ tag: "ref", attrs: {}, content: Buffer.from(ref) }));
  const content = [{ tag: "pair-device", attrs: {}, content: refs }];
  peer.send({ tag: "iq", attrs: { from: "s.whatsapp.net", type: "set", id: "1" }, content });
};

const failWith =
  (reason: string): OnNode =>
  async ({ tag }, peer) => {
    if (tag === "connected") peer.send({ tag: "failure", attrs: { reason } });
  };

describe("linking a device with the real library", () => {
  it("shows a QR code made of the server's reference and our keys, as a new device", async () => {
    await using world = await openLinkWorld(askToLink);
    await world.starting;
    const state = world.host.states.at(-1);
    assert.ok(state?.status === "linking" && state.method === "qr", JSON.stringify(state));
    assert.match(state.value, /ref-one,[\w+/=]{43,},[\w+/=]{43,},[\w+/=]{43,}/);
    assert.ok(world.server.payloads[0]?.devicePairingData, "it registers");
  });

  it("asks the server for a code when a number is configured, and stores what belongs to it", async () => {
    const asked: string[] = [];
    const onNode: OnNode = async (node, peer) => {
      await askToLink(node, peer);
      const [inner] = Array.isArray(node.content) ? node.content : [];
      if (inner?.tag === "link_code_companion_reg") asked.push(String(inner.attrs.jid));
    };
    await using world = await openLinkWorld(onNode, { pairingNumber: "4915550001234" });
    await world.starting;
    await world.host.until(() => asked.length > 0, "the code is asked for");
    await world.host.until(() => world.host.states.at(-1)?.status === "linking", "the code is shown");
    const state = world.host.states.at(-1);
    assert.ok(state?.status === "linking" && state.method === "code" && /^[A-Z0-9]{8}$/.test(state.value));
    assert.deepEqual(asked, ["4915550001234@s.whatsapp.net"]);
    await world.host.until(() => world.store.values.has("web-creds"), "the credentials are stored");
    assert.match(world.store.values.get("web-creds") ?? "", new RegExp(state.value));
  });

  it("asks the operator when the server says that the device is removed", async () => {
    await using world = await openLinkWorld(failWith("401"));
    await world.host.until(() => world.host.states.at(-1)?.status === "needs-operator", "the operator is asked");
    assert.match(JSON.stringify(world.host.states.at(-1)), /unauthorized.*removed/);
    assert.equal(world.server.peers.length, 1);
  });

  it("says that the version is refused", async () => {
    await using world = await openLinkWorld(failWith("405"));
    await world.host.until(() => world.host.states.at(-1)?.status === "needs-operator", "the operator is asked");
    assert.match(JSON.stringify(world.host.states.at(-1)), /webVersion/);
  });

  it("connects again when the server cuts the connection", async () => {
    let connections = 0;
    const onNode: OnNode = async (node, peer) => {
      if (node.tag !== "connected") return;
      connections += 1;
      if (connections === 1) peer.send({ tag: "stream:error", attrs: { code: "503" } });
      else await askToLink(node, peer);
    };
    await using world = await openLinkWorld(onNode);
    await world.host.until(() => world.host.states.at(-1)?.status === "linking", "a code on the second connection");
    assert.ok(world.host.states.some(({ status }) => status === "reconnecting"));
  });

  it("logs in with the stored link, keeps new keys in the store, and ends when it is replaced", async () => {
    const me = { id: "4915550000009:7@s.whatsapp.net", name: "Talaria" };
    const linked = { ...initAuthCreds(), me, account: { details: Buffer.from("x") }, registered: true };
    const onNode: OnNode = async ({ tag, attrs }, peer) => {
      if (tag === "connected") {
        peer.send({ tag: "success", attrs: { t: "1790000000", lid: "777:7@lid" } });
        // Without it the library keeps back what came in for half a minute.
        const offline = { tag: "offline", attrs: { count: "0" } };
        peer.send({ tag: "ib", attrs: { from: "s.whatsapp.net" }, content: [offline] });
      }
      if (tag !== "iq" || attrs.id === undefined) return;
      const content = [
        { tag: "count", attrs: { value: "100" } },
        { tag: "digest", attrs: {} },
      ];
      peer.send({ tag: "iq", attrs: { id: attrs.id, type: "result", from: "s.whatsapp.net" }, content });
    };
    await using world = await openLinkWorld(onNode, {}, linked);
    await world.starting;
    assert.deepEqual(world.host.states.at(-1), { status: "connected" });
    assert.equal(String(world.server.payloads[0]?.username), "4915550000009");
    const { values } = world.store;
    await world.host.until(() => values.get("web-creds")?.includes("777:7@lid") ?? false, "the LID is stored");
    await world.host.until(() => [...values.keys()].some((name) => name.startsWith("web-lid-mapping-")), "keys are");
    const conflict = { tag: "stream:error", attrs: {}, content: [{ tag: "conflict", attrs: { type: "replaced" } }] };
    world.server.peers[0]?.send(conflict);
    await world.host.until(() => world.host.states.at(-1)?.status === "needs-operator", "the operator is asked");
    assert.match(JSON.stringify(world.host.states.at(-1)), /another program/);
    assert.equal(world.server.peers.length, 1);
  });
});
