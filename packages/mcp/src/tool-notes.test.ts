import assert from "node:assert/strict";
import { it } from "node:test";
import { english } from "@talaria/words";
import type { McpServerConfig } from "./mcp-config.ts";
import { offeredTools } from "./offered-tools.ts";

const text = { type: "string" } as const;
const listed = [
  { name: "get_page", inputSchema: { type: "object" as const, properties: { page: { ...text, format: "uri" } } } },
  { name: "get_note", inputSchema: { type: "object" as const, properties: { id: text } } },
  { name: "pay", inputSchema: { type: "object" as const, properties: { recipient: text } } },
  { name: "ping", inputSchema: { type: "object" as const } },
];

function offered(config: McpServerConfig) {
  const call = async () => assert.fail("nothing is called");
  return offeredTools({ tools: listed, isCut: false }, { server: "desk", config, call, before: [] });
}

const url = "https://desk.example.org/mcp";
const reads = ["get_page", "get_note"];

it("says which reads take an address, and which calls nobody can agree to for later", () => {
  assert.deepEqual(offered({ url, reads }).notes, [
    "get_page reads what page says: the policy decides about that address as for web_fetch",
    "after untrusted content nobody can agree to later calls of pay: name in targets the arguments that say whom they are for",
  ]);
  assert.deepEqual(offered({ command: ["desk"], reads: ["get_note"] }).notes, []);
});

it("says which names in reads change something all the same, since their server says so", () => {
  const pay = { name: "pay", inputSchema: { type: "object" as const }, annotations: { readOnlyHint: false } };
  const call = async () => assert.fail("nothing is called");
  const offering = { server: "desk", config: { url, reads: ["pay"] }, call, before: [] };
  assert.deepEqual(offeredTools({ tools: [pay], isCut: false }, offering).notes, [
    "pay in reads counts as changing all the same: the server itself says that it does",
  ]);
});

it("says which names in targets are those of nothing", () => {
  const targets = { pay: ["recipient", "iban"], pays: ["recipient"] };
  assert.deepEqual(offered({ url, reads: ["get_note"], tools: ["get_note", "pay"], targets }).notes, [
    "targets of pay: it has no argument iban",
    "targets names pays, which is none of its tools",
  ]);
});

it("says which names in reads and digests the server has no tool of, with the key and what to do", () => {
  const slips = { url, reads: ["get_notes", "get_note"], digests: { pays: "unknown" } };
  const has = "It has get_note, get_page, pay, ping";
  assert.deepEqual(offered(slips).unknown, [
    `mcp.servers.desk.reads names get_notes, which it does not have: correct the name or take it out. ${has}`,
    `mcp.servers.desk.digests names pays, which it does not have: correct the name or take it out. ${has}`,
  ]);
  assert.deepEqual(offered({ url, reads, tools: ["pay"] }).unknown, [], "what is not used may be named");
});

it("gives a read the addresses that it is called with as targets, beside the server's own", () => {
  const tool = offered({ url, reads }).tools.find(({ nameThere }) => nameThere === "get_page");
  const server = { kind: "url", url, sendsBody: false, isKnown: false };
  assert.deepEqual(tool?.targets?.({ page: "https://evil.example/?d=1" }), [
    server,
    { kind: "url", url: "https://evil.example/?d=1", sendsBody: false },
  ]);
  assert.deepEqual(tool?.targets?.({ page: "memo://1" }), [server]);
  const program = offered({ command: ["desk"], reads }).tools.find(({ nameThere }) => nameThere === "get_page");
  assert.deepEqual(program?.targets?.({ page: "evil.example" }), [
    { kind: "url", url: "https://evil.example", sendsBody: false },
  ]);
});

it("says to people who are asked which tool of which server is called, and leaves all arguments to be shown", () => {
  const tool = offered({ url }).tools.find(({ nameThere }) => nameThere === "pay");
  assert.deepEqual(tool?.inWords?.({ recipient: "Bob" }, english.callHeadlines), {
    headline: ["use ", { name: "pay" }, " of the MCP server ", { name: "desk" }],
    says: [],
  });
});
