import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { english } from "@talaria/words";
import fastCheck from "fast-check";
import { callText, shownCall, shownText } from "./in-english.fixture.ts";
import * as policy from "./index.ts";
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

  it("says so in the language of whoever reads it", () => {
    const marks = {
      blanks: (count: number) => `${count} Leerzeichen`,
      emptyLines: (count: number) => `${count} leere Zeilen`,
      notShown: (count: number) => `${count} Zeichen fehlen`,
    };
    const text = `a${" ".repeat(20)}b${"\n".repeat(9)}${"x".repeat(5_000)}`;
    const shown = policy.shownText(text, marks, 300).text;
    assert.match(shown, /^a \[20 Leerzeichen\] b\n\[8 leere Zeilen\]\nx+\n\[\d+ Zeichen fehlen\]\nx+$/);
    const call = { name: "t", arguments: JSON.stringify({ text: "y".repeat(25_000) }) };
    const all = policy.shownCall(call, [], { ...english.callPhrases, marks }).text;
    assert.match(all, /Zeichen fehlen\]/);
    assert.doesNotMatch(all, /characters/);
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
    const of = (...targets: Parameters<typeof shownCall>[1]) => shownCall(call, targets).text.split("\n\n");
    assert.deepEqual(of(command("ls\nid", { hasNetwork: true })), [
      "**May I use the tool `web_post`?**",
      "```\na: 1\n```",
      "In the sandbox, with network:",
      "```\nls\nid\n```",
    ]);
    assert.equal(
      of(url("https://ехаmple.com/x", { sendsBody: true }))[1],
      "- Sends to: `https://xn--mple-43d3a6i.com/x (written https://ехаmple.com/x)`",
    );
    assert.equal(of(url("https://a.example"))[1], "- Reads: `https://a.example/`");
    assert.equal(of(recipient("telegram:user:42"))[1], "- To: `telegram:user:42`");
    assert.equal(of(path("/etc/hosts", false))[1], "- Outside the workspace: `/etc/hosts`");
    assert.deepEqual(of(), ["**May I use the tool `web_post`?**", "```\na: 1\n```"]);
  });

  it("is what the tool says in words, with text as text, and everything else besides", () => {
    const text = "Dear *Anna*,\n\n    [pay](https://evil.example) <b>now</b>\n# yes_no";
    const given = { to: "telegram:user:42", text, account: "work" };
    const words = {
      headline: ["send this message to ", { name: given.to }],
      parts: [{ kind: "text", text }],
      says: ["to", "text"],
    } as const;
    const call = { name: "send_message", arguments: JSON.stringify(given) };
    const shown = shownCall(call, [recipient(given.to)], { words, why: "Somebody has to agree." });
    assert.equal(
      shown.text,
      [
        "**May I send this message to `telegram:user:42`?**",
        "",
        "> Dear \\*Anna\\*\\,",
        ">",
        "> \u00a0\u00a0\u00a0\u00a0&#91;pay&#93;&#40;https\\:\\/\\/evil\\.example&#41; \\<b\\>now\\<\\/b\\>\\",
        "> \\# yes\\_no",
        "",
        "```",
        "account: work",
        "```",
        "",
        "Somebody has to agree.",
      ].join("\n"),
    );
    const other = shownCall(call, [recipient("telegram:user:43")], { words });
    assert.match(other.text, /\n- To: `telegram:user:43`\n/, "the tool's words do not hide whom policy judged");
  });

  it("is a difference as one, and an address in the headline as the network reads it", () => {
    const parts = [{ kind: "difference", text: " a\n-b\n+```" }] as const;
    const words = { headline: ["change ", { address: "https://ехаmple.com/x" }], parts, says: [] };
    assert.equal(
      shownCall({ name: "t", arguments: "{}" }, [], { words }).text,
      "**May I change `https://xn--mple-43d3a6i.com/x`?**\n\n- Written: `https://ехаmple.com/x`\n\n````diff\n a\n-b\n+```\n````",
    );
  });

  it("names no command that is only the tool's own program, but where that runs, and hides no argument by it", () => {
    const own = command("terminal");
    assert.equal(
      shownCall({ name: "terminal", arguments: '{"command":"terminal"}' }, [own]).text,
      "**May I use the tool `terminal`?**\n\n- Runs: `in the sandbox, without network`\n\n```\ncommand: terminal\n```",
    );
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
        "**May I use the tool `run_with_secrets`?**",
        "",
        "- Sends to and reads from: `pypi.org (https and http)`",
        "- Sends to and reads from: `api.example.org (https and http)`",
        "- With the secret: `github, at api.example.org`",
        "",
        "```\ntimeoutSeconds: 60\n```",
        "",
        "In the sandbox, with these hosts:",
        "",
        `\`\`\`\n${given.command}\n\`\`\``,
      ].join("\n"),
    );
    assert.match(of({ network: ["evil.org"] }), /^network: \["evil\.org"\]$/m);
    assert.match(of({ network: ["pypi.org", "evil.org"] }), /^network: \["pypi\.org","evil\.org"\]$/m);
    assert.match(of({ command: "curl evil.org" }), /^command: curl evil\.org$/m);
    assert.match(of({ note: given.command }), /^note: curl https/m);
    assert.match(of({ secrets: [] }), /^secrets: \[\]$/m);
    assert.match(
      of({ note: "true", other: true, empty: "", number: "12" }),
      /^note: "true"\nother: true\nempty: ""\nnumber: "12"$/m,
    );
  });

  it("has no line of a stranger's that looks like one of ours, and nothing that ends its block or its quote", () => {
    const forged = "hello\nTo: ada\n- With the secret: github\n```\n**May I do nothing?**\n````\n> An owner can decide";
    const given = { text: forged, "key\nTo: bob": 1, list: [forged, "x".repeat(200)] };
    const words = {
      headline: ["send ", { name: forged }],
      parts: [{ kind: "text", text: forged }],
      says: ["text"],
    } as const;
    for (const options of [{ words }, {}]) {
      const call = { name: "send_message", arguments: JSON.stringify(given) };
      const { text } = shownCall(call, [recipient("eve")], options);
      const ours = text.split("\n").filter((line) => !line.startsWith("  ") && !line.startsWith("> "));
      assert.deepEqual(
        ours.filter((line) => line !== ">" && line !== ""),
        [
          "words" in options
            ? "**May I send `````hello\\nTo: ada\\n- With the secret: github\\n```\\n**May I do nothing?**\\n````\\n> An owner can decide`````?**"
            : "**May I use the tool `send_message`?**",
          "- To: `eve`",
          "`````",
          ...("words" in options ? [] : ["text:"]),
          '"key\\nTo: bob": 1',
          "list:",
          "`````",
        ],
      );
    }
    assert.equal(
      shownCall({ name: "t", arguments: "no\nJSON" }, []).text,
      "**May I use the tool `t`?**\n\nArguments:\n\n```\nno\nJSON\n```",
    );
  });

  it("is cut in its longest parts, says so, and is kept whole in words", () => {
    const given = { title: "short", body: "y".repeat(9_000) };
    const words = { headline: ["run this"], parts: [{ kind: "block", text: "x".repeat(9_000) }], says: [] } as const;
    const shown = shownCall({ name: "t", arguments: JSON.stringify(given) }, [], { words });
    assert.ok(shown.text.length < 3_400, `${shown.text.length}`);
    assert.equal(shown.text.match(/^\[[\d,]+ characters are not shown\]$/gm)?.length, 2);
    assert.match(shown.text, /^title: short$/m);
    assert.ok(shown.leftOut > 14_000);
    const whole = callText(shown.words, Number.POSITIVE_INFINITY);
    assert.deepEqual([whole.leftOut, whole.text.match(/[xy]{9000}/g)?.length], [0, 2]);
    const much = shownCall({ name: "t", arguments: JSON.stringify({ body: "y".repeat(900_000) }) }, []);
    assert.ok(callText(much.words, Number.POSITIVE_INFINITY).text.length < 21_000);
    assert.ok(much.leftOut > 890_000);
  });

  it("is ours around whatever a call says, in every part", () => {
    const anything = fastCheck.string({ unit: "binary", maxLength: 200 });
    fastCheck.assert(
      fastCheck.property(anything, anything, anything, (name, text, value) => {
        const parts = (["text", "block", "difference"] as const).map((kind) => ({ kind, text }));
        const words = { headline: ["do ", { name }], parts, says: [] };
        const { text: shown } = shownCall({ name: "t", arguments: JSON.stringify({ a: value }) }, [], { words });
        assert.doesNotMatch(shown, /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069\u200b\u{e0000}-\u{e007f}]/u);
        assert.ok(shown.startsWith("**May I do `") && !shown.slice(0, shown.indexOf("?**\n")).includes("\n"));
        const outside = shown
          .replace(/^(`{3,})\w*\n[\s\S]*?\n\1$/gm, "")
          .split("\n")
          .slice(1);
        assert.ok(
          outside.every((line) => line === "" || line.startsWith(">") || line.startsWith("- In full: `")),
          shown,
        );
      }),
    );
  });
});
