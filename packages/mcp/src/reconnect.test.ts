import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createMcpHandler } from "@modelcontextprotocol/server";
import { systemClock } from "@talaria/protocol";
import { callTool, reached, startMcp, toolContext } from "./mcp.fixture.ts";
import { httpPeer } from "./testing/http-peer.ts";
import { modernPeer } from "./testing/modern-peer.ts";

/** Of the old era, with an event stream that ends at once and asks to be opened again at once. */
async function oldServer(request: Request, onOpened: () => void): Promise<Response> {
  if (request.method === "GET") {
    onOpened();
    return new Response("retry: 0\nid: 1\ndata: \n\n", { headers: { "content-type": "text/event-stream" } });
  }
  const { id, method } = (await request.json()) as { id?: number; method: string };
  const serverInfo = { name: "old", version: "1" };
  const result = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo, tools: [] };
  if (id === undefined) return new Response(null, { status: 202 });
  if (method === "server/discover") return Response.json({ jsonrpc: "2.0", id, error: { code: -32601, message: "?" } });
  return Response.json({ jsonrpc: "2.0", id, result });
}

const serve = () => httpPeer(createMcpHandler(() => modernPeer()).fetch);

describe("a server over HTTP that goes away", () => {
  it("is noticed by the next call, reported, and connected again when it is back", async (test) => {
    const peer = await serve();
    const mcp = startMcp(test, { peer: { url: peer.url } });
    await reached(mcp, "ready");
    const [tool] = mcp.tools();
    await peer.stop();
    await assert.rejects(callTool(mcp, "mcp_peer_echo", { text: "a" }), /was lost in the middle of the call/);
    await reached(mcp, "down");
    assert.deepEqual(mcp.tools(), []);
    await assert.rejects(tool?.execute({}, toolContext()) ?? Promise.resolve(), /not connected at the moment/);
    const again = await httpPeer(createMcpHandler(() => modernPeer()).fetch, Number(new URL(peer.url).port));
    test.after(() => again.stop());
    await reached(mcp, "ready");
    assert.match((await callTool(mcp, "mcp_peer_echo", { text: "b" })).content, /echo b$/);
  });

  it("is no matter of the others", async (test) => {
    const [one, other] = await Promise.all([serve(), serve()]);
    test.after(() => other.stop());
    const mcp = startMcp(test, { one: { url: one.url }, other: { url: other.url } });
    await reached(mcp, "ready");
    await one.stop();
    await assert.rejects(callTool(mcp, "mcp_one_echo", { text: "a" }));
    assert.match((await callTool(mcp, "mcp_other_echo", { text: "b" })).content, /echo b$/);
    assert.ok(mcp.tools().every(({ server }) => server === "other"));
  });

  it("is not waited for where its answer breaks off, with an event that could be gone on from or without", async (test) => {
    const handler = createMcpHandler(() => modernPeer());
    const begun = [": hello\n\n", "id: 5\ndata: \n\n"];
    const peer = await httpPeer(async (request) => {
      const isCall = request.headers.get("mcp-method") === "tools/call";
      const broken = isCall ? begun.shift() : undefined;
      if (broken === undefined) return handler.fetch(request);
      return new Response(broken, { headers: { "content-type": "text/event-stream" } });
    });
    test.after(() => peer.stop());
    const mcp = startMcp(test, { peer: { url: peer.url } });
    await reached(mcp, "ready");
    for (let n = 0; n < 2; n += 1)
      await assert.rejects(
        callTool(mcp, "mcp_peer_echo", { text: "a" }),
        /broke its answer off\. It may have taken effect/,
      );
    assert.deepEqual(begun, []);
    assert.match((await callTool(mcp, "mcp_peer_echo", { text: "b" })).content, /echo b$/);
  });

  it("can't have its event stream opened again without a pause", async (test) => {
    let opened = 0;
    const peer = await httpPeer((request) =>
      oldServer(request, () => {
        opened += 1;
      }),
    );
    test.after(() => peer.stop());
    const slept: number[] = [];
    const sleep = (ms: number, signal?: AbortSignal) => {
      slept.push(ms);
      return systemClock.sleep(ms === 500 ? 1 : ms, signal);
    };
    const mcp = startMcp(test, { peer: { url: peer.url } }, { clock: { ...systemClock, sleep } });
    await reached(mcp, "ready");
    await test.waitFor(() => assert.ok(opened > 3), { timeout: 120_000 });
    assert.ok(slept.filter((ms) => ms === 500).length >= opened - 1);
  });

  it("can't answer with more than a message may have", async (test) => {
    const handler = createMcpHandler(() => modernPeer());
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode("x".repeat(1_000_000))),
    });
    let isEndless = false;
    const peer = await httpPeer(async (request) => {
      if (!isEndless) return handler.fetch(request);
      return new Response(endless, { headers: { "content-type": "application/json" } });
    });
    test.after(() => peer.stop());
    const mcp = startMcp(test, { peer: { url: peer.url } });
    await reached(mcp, "ready");
    isEndless = true;
    await assert.rejects(callTool(mcp, "mcp_peer_echo", { text: "a" }), /too large: .* more than 8 MiB/);
    isEndless = false;
    assert.match((await callTool(mcp, "mcp_peer_echo", { text: "b" })).content, /echo b$/);
  });
});
