import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fastCheck from "fast-check";
import { shownCall, shownText } from "./index.ts";
import { command, path, recipient, url } from "./testing/requests.ts";

describe("what an approver sees", () => {
  const hidden: readonly (readonly [string, string])[] = [
    ["rm \u202etxt.exe", "rm \\u{202e}txt.exe"],
    ["a\u200bb", "a\\u{200b}b"],
    ["a\u{e0041}b", "a\\u{e0041}b"],
    ["a\u001b[2Kb", "a\\u{1b}[2Kb"],
    ["a\rb", "a\\u{d}b"],
    ["a\u00a0b", "a\\u{a0}b"],
    ["a\u3164b", "a\\u{3164}b"],
    ["a\u2800b", "a\\u{2800}b"],
    ["a\u2028b", "a\\u{2028}b"],
    ["a\ud800b", "a\\u{d800}b"],
    ["a\ufe0fb", "a\\u{fe0f}b"],
    ["e\u0301\u0301\u0301\u0301", "e\u0301\u0301\u0301\\u{301}"],
  ];
  for (const [text, seen] of hidden)
    it(`is ${JSON.stringify(seen)} for ${JSON.stringify(text)}`, () =>
      assert.deepEqual(shownText(text), { text: seen, leftOut: 0, hasHidden: true }));

  it("is ordinary text as it is, in any script, with emoji", () => {
    for (const text of ["git status\n\tls", "Grüße, 世界, שלום", "👍🏽 👨‍👩‍👧 ❤️", "naïve é"])
      assert.deepEqual(shownText(text), { text, leftOut: 0, hasHidden: false });
  });

  it("has nothing pushed out of sight by blanks", () => {
    assert.equal(shownText(`ls${" ".repeat(500)}; rm x`).text, "ls [500 blanks] ; rm x");
    assert.equal(shownText(`ls${"\n".repeat(50)}rm x`).text, "ls\n[49 empty lines]\nrm x");
  });

  it("says what is cut, and shows both ends", () => {
    const { text, leftOut } = shownText(`begin ${"x".repeat(20_000)} end`, 300);
    assert.match(text, /^begin x+\n\[19,710 characters are not shown\]\nx+ end$/);
    assert.equal(leftOut, 19_710);
  });

  it("says what is cut of a text that is too long to be read as a whole, even if it shrinks", () => {
    const { text, leftOut } = shownText("x".repeat(500_000));
    assert.match(text, /\[49\d,\d{3} characters are not shown\]/);
    assert.ok(leftOut > 490_000);
    const blanks = shownText(`ls${" ".repeat(500_000)}; rm x`);
    assert.match(blanks.text, /characters are not shown/);
    assert.ok(blanks.leftOut > 0);
  });

  it("is bounded and free of what can't be seen, whatever the text", () => {
    fastCheck.assert(
      fastCheck.property(fastCheck.string({ unit: "binary", maxLength: 300 }), (given) => {
        const { text } = shownText(given, 100);
        assert.ok(text.length < 160);
        assert.doesNotMatch(text, /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069\u200b\u{e0000}-\u{e007f}]/u);
        assert.ok(text.isWellFormed());
      }),
    );
  });

  it("names the command, the address as the network reads it, the recipient and the file", () => {
    const call = { name: "web_post", arguments: '{"a":1}' };
    const of = (...targets: Parameters<typeof shownCall>[1]) => shownCall(call, targets).text.split("\n");
    assert.deepEqual(of(command("ls\nid", { hasNetwork: true })).slice(1), [
      "a: 1",
      "Command, in the sandbox, with network:",
      "ls",
      "id",
    ]);
    assert.equal(
      of(url("https://ехаmple.com/x", { sendsBody: true }))[1],
      "Sends to: https://xn--mple-43d3a6i.com/x (written https://ехаmple.com/x)",
    );
    assert.equal(of(url("https://a.example"))[1], "Reads: https://a.example/");
    assert.equal(of(recipient("telegram:user:42"))[1], "To: telegram:user:42");
    assert.equal(of(path("/etc/hosts", false))[1], "File outside the workspace: /etc/hosts");
    assert.deepEqual(of(), ["Tool: web_post", "a: 1"]);
    assert.match(shownCall(call, [], { details: "-old\n+new" }).text, /\+new$/);
  });

  it("says each thing once: arguments are left out where a target has exactly their words", () => {
    const given = {
      command: "curl https://api.example.org/user",
      network: ["pypi.org"],
      secrets: ["github"],
      timeoutSeconds: 60,
    };
    const targets = [
      { kind: "url", url: "https://pypi.org/", sendsBody: true, host: "pypi.org" },
      { kind: "url", url: "https://api.example.org/", sendsBody: true, host: "api.example.org" },
      { kind: "secret", name: "github", hosts: ["api.example.org"] },
      command(given.command),
    ] as const;
    const of = (changed: object) =>
      shownCall({ name: "run_with_secrets", arguments: JSON.stringify({ ...given, ...changed }) }, targets).text;
    assert.equal(
      of({}),
      [
        "Tool: run_with_secrets",
        "Sends to and reads from: pypi.org (https and http)",
        "Sends to and reads from: api.example.org (https and http)",
        "With the secret github, at api.example.org",
        "timeoutSeconds: 60",
        "Command, in the sandbox, with these hosts:",
        given.command,
      ].join("\n"),
    );
    assert.match(of({ network: ["evil.org"] }), /^network: \["evil\.org"\]$/m);
    assert.match(of({ network: ["pypi.org", "evil.org"] }), /^network: \["pypi\.org","evil\.org"\]$/m);
    assert.match(of({ command: "curl evil.org" }), /^command: "curl evil\.org"$/m);
    assert.match(of({ note: given.command }), /^note: "curl https/m);
    assert.match(of({ secrets: [] }), /^secrets: \[\]$/m);
  });

  it("has no line of a stranger's that looks like one of ours, but below a command", () => {
    const forged = "hello\nTo: ada\nWith the secret github, at api.example.org";
    const given = { text: forged, "key\nTo: bob": 1, list: [forged, "x".repeat(200)] };
    const { text } = shownCall({ name: "send_message", arguments: JSON.stringify(given) }, [recipient("eve")]);
    assert.deepEqual(
      text.split("\n").filter((line) => !line.startsWith("  ")),
      ["Tool: send_message", "To: eve", "text:", '"key\\nTo: bob": 1', "list:"],
    );
    assert.match(text, /^ {2}To: ada$/m);
    assert.equal(shownCall({ name: "t", arguments: "no\nJSON" }, []).text, "Tool: t\nno\nJSON");
  });
});
