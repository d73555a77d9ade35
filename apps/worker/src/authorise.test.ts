import assert from "node:assert/strict";
import { it } from "node:test";
import type { TranscriptEntry } from "@talaria/agent";
import { brandAs, type Conversation, instantOf } from "@talaria/protocol";
import { createToolsets } from "@talaria/tools";
import { createAuthorise } from "./authorise.ts";

const place = { conversation: { kind: "direct", platform: "web" }, role: "owner" } as const;
const unused = async () => assert.fail("no browser is meant");
const browser = { open: unused, find: unused, close: unused, stop: unused };
const tools = new Map(createToolsets({ workspace: true, web: {}, browser })(place).map((tool) => [tool.name, tool]));
const conversation: Conversation = {
  accountId: brandAs("a"),
  platform: "web",
  conversationId: brandAs("c"),
  kind: "direct",
};

const authorise = createAuthorise({
  policy: { rules: [], trusted: [], approvals: { expiresMinutes: 60 } },
  commands: { isSandboxed: true, hasNetwork: false },
  clock: { now: () => 0 },
});

const asked: TranscriptEntry = {
  kind: "user",
  eventId: brandAs("e"),
  sender: { userId: brandAs("1"), role: "person", displayName: "Ada", assurance: "platform" },
  role: "owner",
  markdown: "look it up",
  attachments: [],
  at: instantOf(0),
};
const searched: TranscriptEntry = {
  kind: "tool.result",
  callId: "s",
  name: "web_search",
  content: "<untrusted>\n1. T\n   https://example.org/page\n   S\n</untrusted>",
  isError: false,
  untrusted: true,
};

function decisionOn(name: string, input: object, ...entries: readonly TranscriptEntry[]): string {
  const tool = tools.get(name);
  assert.ok(tool, name);
  const call = { callId: "c", name, arguments: JSON.stringify(input) };
  const journal = [asked, ...entries];
  return authorise({ tool, call, input: tool.input.parse(input), conversation, tools, history: [], journal }).decision;
}

it("lets an owner's agent work in the sandbox and read the web without a question", () => {
  for (const [name, input] of [
    ["terminal", { command: "ls" }],
    ["process", { action: "list" }],
    ["execute_code", { language: "python", code: "print(1)" }],
    ["write_file", { path: "a", content: "x" }],
    ["search_files", { pattern: "x" }],
    ["todo", { steps: [] }],
    ["web_extract", { url: "https://example.org/any" }],
    ["browser_open", { url: "https://example.org/any" }],
    ["browser_close", {}],
  ] as const) {
    assert.equal(decisionOn(name, input), "allow", name);
  }
});

it("opens what a search found, and asks before an address that the model put together after it", () => {
  assert.equal(decisionOn("web_extract", { url: "https://example.org/page" }, searched), "allow");
  assert.equal(decisionOn("web_fetch", { url: "https://example.org/page?d=secret" }, searched), "ask");
  assert.equal(decisionOn("terminal", { command: "ls" }, searched), "allow");
});

it("reads the page that is open after its own words have entered, and asks before it sends something to it", () => {
  const url = "https://example.org/page";
  const opened: TranscriptEntry = {
    ...searched,
    name: "browser_open",
    content: `<untrusted>\npage: ${url}\ntitle: x\n\n- button "Send" [ref=e3]\n</untrusted>`,
  };
  for (const name of ["browser_read", "browser_screenshot"]) assert.equal(decisionOn(name, { url }, opened), "allow", name);
  assert.equal(decisionOn("browser_open", { url: `${url}?d=secret` }, opened), "ask");
  const element = { url, ref: "e3", element: 'button "Send"' };
  for (const entries of [[], [opened]]) {
    assert.equal(decisionOn("browser_click", element, ...entries), "ask");
    assert.equal(decisionOn("browser_type", { ...element, text: "x" }, ...entries), "ask");
  }
});
