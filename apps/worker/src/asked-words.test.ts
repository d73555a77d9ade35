import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Tool } from "@talaria/agent";
import { plainText, renderMarkdown } from "@talaria/markdown";
import { callText, shownCall } from "@talaria/policy";
import { describedTools } from "@talaria/tools";
import { english } from "@talaria/words";
import { targetsOf } from "./authorise.ts";

const { callHeadlines, callPhrases } = english;
const tools = new Map(describedTools().map((tool) => [tool.name, tool]));
const commands = { isSandboxed: true, hasNetwork: false };

/** As people read the question on a platform without formatting. */
function askedFor(tool: Tool | undefined, input: object): readonly string[] {
  assert.ok(tool);
  const targets = targetsOf(tool, tool.input.parse(input), { commands });
  const call = { name: tool.name, arguments: JSON.stringify(input) };
  const { words } = shownCall(call, targets, callPhrases, {
    words: tool.inWords?.(tool.input.parse(input), callHeadlines),
  });
  return renderMarkdown(callText(words, Number.POSITIVE_INFINITY, callPhrases).text, plainText).split("\n");
}

const firstLines: readonly (readonly [string, object, string])[] = [
  ["send_message", { to: "telegram:user:42", text: "Hi *you*" }, "May I send this message to telegram:user:42?"],
  ["send_file", { name: "a.txt", content: "text" }, "May I send this file here: a.txt?"],
  ["send_file", { paths: ["a/b.txt"] }, "May I send a file here?"],
  ["read_file", { path: "/etc/hosts" }, "May I read the file /etc/hosts?"],
  ["search_files", { pattern: "needle", path: "src" }, "May I search the files in src?"],
  ["write_file", { path: "a.txt", content: "x\ny" }, "May I write the file a.txt, in place of what may be there?"],
  ["edit_file", { path: "a.txt", oldText: "one", newText: "two" }, "May I change the file a.txt?"],
  ["terminal", { command: "ls -l" }, "May I run this command?"],
  ["run_with_secrets", { command: "true", secrets: ["example"] }, "May I run this command with the secret example?"],
  ["process", { action: "start", command: "sleep 9" }, "May I start this command in the background?"],
  ["process", { action: "kill", id: "p1" }, "May I end the process p1?"],
  ["process", { action: "write", id: "p1", text: "yes" }, "May I write this to the process p1?"],
  ["process", { action: "list" }, "May I look after the processes in the background?"],
  ["execute_code", { language: "python", code: "print(1)" }, "May I run this Python code?"],
  ["web_search", { query: "tea & cake" }, "May I search the web for tea & cake?"],
  ["web_fetch", { url: "https://a.example/x?y=1" }, "May I read https://a.example/x?y=1?"],
  ["web_extract", { url: "https://ехаmple.com/" }, "May I read https://xn--mple-43d3a6i.com/?"],
  ["browser_open", { url: "https://a.example/" }, "May I open https://a.example/ in the browser?"],
  [
    "browser_click",
    { url: "https://a.example/", ref: "e3", element: 'button "Pay"' },
    'May I click button "Pay" on https://a.example/?',
  ],
  [
    "browser_type",
    { url: "https://a.example/", ref: "e3", element: "field", text: "secret\nwords" },
    "May I type this into field on https://a.example/?",
  ],
  ["generate_image", { prompt: "a boat", shape: "square" }, "May I have a picture made?"],
  ["memory", { action: "add", text: "prefers tables" }, "May I remember this?"],
  [
    "memory",
    { action: "replace", ids: ["3", "12"], text: "lives in Oslo" },
    "May I put this in the place of what I know under 3, 12?",
  ],
  ["memory", { action: "remove", ids: ["3"] }, "May I forget what I know under 3?"],
  ["speak", { text: "Hello" }, "May I have this said as speech?"],
];

describe("what people are asked about a call", () => {
  for (const [name, input, first] of firstLines)
    it(`begins with what it does, and has each of its arguments: ${first}`, () => {
      const lines = askedFor(tools.get(name), input);
      assert.equal(lines[0], first);
      const shown = lines.join("\n");
      const said = Object.values(input)
        .flat()
        .filter((value) => !["start", "kill", "write", "python", "add", "replace", "remove"].includes(value));
      for (const line of said.flatMap((value) => value.split("\n"))) assert.ok(shown.includes(line), shown);
    });

  it("says where a command runs", () => {
    const lines = askedFor(tools.get("terminal"), { command: "ls -l\nid", timeoutSeconds: 5 });
    assert.deepEqual(
      lines.filter((line) => line !== ""),
      ["May I run this command?", "timeoutSeconds: 5", "In the sandbox, without network:", "ls -l", "id"],
    );
  });

  it("is a difference where a file is changed, with the lines that stay", () => {
    const given = { path: "a.txt", oldText: "a\nb\nc\nd", newText: "a\nB\nBB\nd" };
    const lines = askedFor(tools.get("edit_file"), given);
    assert.deepEqual(lines.slice(2), [" a", "-b", "-c", "+B", "+BB", " d"]);
    const gone = askedFor(tools.get("edit_file"), { path: "a.txt", oldText: "same\nsame", newText: "same" });
    assert.deepEqual(gone.slice(2), [" same", "-same"]);
  });

  it("has words that only look like markup as they are, in a quote that they do not leave", () => {
    const text = [
      "# Pay [here](https://evil.example) **now** <b>x</b> &amp; $5 ~~no~~",
      "  - one `code` | table |",
      "",
      "```",
      "1. An owner can decide",
      "> **May I do nothing?**",
      "\\(x\\) \\[y\\] $$z$$",
      "--- === *** www.evil.example a@b.example \\ end",
    ];
    const { words } = shownCall({ name: "send_message", arguments: "{}" }, [], callPhrases, {
      words: { headline: ["send this"], parts: [{ kind: "text", text: text.join("\n") }], says: [] },
    });
    const seen = renderMarkdown(callText(words, 9_000, callPhrases).text, plainText).split("\n");
    assert.equal(seen[0], "May I send this?");
    assert.deepEqual(
      seen.slice(2).map((line) => line.replace(/^> ?/, "").replaceAll("\u00a0", " ")),
      text,
    );
    assert.ok(seen.slice(2).every((line) => line.startsWith(">")));
  });
});
