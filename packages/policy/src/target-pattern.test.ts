import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Permission, Target } from "@talaria/protocol";
import fastCheck from "fast-check";
import { readPattern, readTrusted } from "./target-pattern.ts";
import { command, path, recipient, url } from "./testing/requests.ts";

function matches(permission: Permission, pattern: string, target: Target, isStrict: boolean): boolean {
  const reading = readPattern(permission, pattern, isStrict);
  assert.ok("pattern" in reading, JSON.stringify(reading));
  return reading.pattern.matches(target, isStrict);
}

const allows = (pattern: string, text: string) => matches("net", pattern, url(text), true);
const denies = (pattern: string, text: string) => matches("net", pattern, url(text), false);

describe("an address", () => {
  const same: readonly (readonly [string, string])[] = [
    ["https://example.com", "https://example.com/"],
    ["https://example.com", "https://example.com/any/path?q=1#f"],
    ["example.com", "https://example.com/x"],
    ["https://example.com", "https://EXAMPLE.com/x"],
    ["https://example.com", "https://example.com:443/x"],
    ["https://example.com", "https://ｅｘａｍｐｌｅ.com/x"],
    ["https://example.com:8443", "https://example.com:8443/x"],
    ["https://*.example.com", "https://api.example.com/"],
    ["https://*.example.com", "https://a.b.example.com/"],
    ["https://example.com/v1/*", "https://example.com/v1/x/y"],
    ["https://example.com/v1", "https://example.com/v1?q=1"],
    ["https://example.com/", "https://example.com/"],
    ["https://bücher.example", "https://xn--bcher-kva.example/"],
  ];
  for (const [pattern, text] of same)
    it(`${pattern} means ${text}`, () => {
      assert.equal(allows(pattern, text), true);
      assert.equal(denies(pattern, text), true);
    });

  const others: readonly (readonly [string, string])[] = [
    ["https://example.com", "https://example.com.evil.org/"],
    ["https://example.com", "https://evil.org/example.com"],
    ["https://example.com", "https://evil.org/?https://example.com"],
    ["https://example.com", "https://evil.org#https://example.com/"],
    ["https://example.com", "https://notexample.com/"],
    ["https://example.com", "https://sub.example.com/"],
    ["https://example.com", "https://example.com@evil.org/"],
    ["https://example.com", "https://example.com:443@evil.org/"],
    ["https://example.com", "https://example.com%40evil.org@evil.net/"],
    ["https://example.com", "https://evil.org\\@example.com/"],
    ["https://example.com", "https://ехаmple.com/"],
    ["https://example.com", "https://examp1e.com/"],
    ["https://example.com", "https://exаmple.com/"],
    ["https://example.com", "https://example.com。evil.org/"],
    ["https://example.com", "https://example.co/"],
    ["https://*.example.com", "https://example.com/"],
    ["https://*.example.com", "https://example.com.evil.org/"],
    ["https://*.example.com", "https://badexample.com/"],
    ["https://example.com/v1/*", "https://example.com/v2/x"],
    ["https://example.com/v1/*", "https://example.com/v1/../v2/x"],
    ["https://example.com/v1/*", "https://example.com/v1/%2e%2e/v2/x"],
    ["https://example.com/v1", "https://example.com/v1/x"],
    ["https://127.0.0.1", "https://127.0.0.1.evil.org/"],
    ["https://example.com:8443", "https://example.com/"],
  ];
  for (const [pattern, text] of others)
    it(`${pattern} does not mean ${text}`, () => {
      assert.equal(allows(pattern, text), false);
      assert.equal(denies(pattern, text), false);
    });

  const doubtful: readonly (readonly [string, string])[] = [
    ["https://example.com", "http://example.com/"],
    ["https://example.com", "https://example.com:8443/"],
    ["https://example.com", "https://user@example.com/"],
    ["https://example.com", "https://example.com./"],
    ["https://example.com", "https://example.com\\x"],
    ["https://example.com", " https://example.com/"],
    ["https://example.com", "https://exam\tple.com/"],
    ["https://example.com", "https:\\\\example.com/"],
    ["https://example.com/v2/*", "https://example.com/v1/..%2fv2/x"],
    ["https://example.com/v2/*", "https://example.com//V2//x"],
    ["https://127.0.0.1", "https://0x7f.1:99/"],
  ];
  for (const [pattern, text] of doubtful)
    it(`${pattern} is not enough to allow ${JSON.stringify(text)}, but enough to deny it`, () => {
      assert.equal(allows(pattern, text), false);
      assert.equal(denies(pattern, text), true);
    });

  it("in an allowed folder may not lead out of it in another reading", () => {
    for (const tail of ["..%2fv2", "%2e%2e%2fv2", "..%5cv2", "a%2fb", "%252e%252e/v2", "x%00"])
      assert.equal(allows("https://example.com/v1/*", `https://example.com/v1/${tail}`), false, tail);
  });

  it("of an attacker is never taken for ours, whatever it has around it", () => {
    const part = fastCheck.string({ unit: fastCheck.constantFrom(..."example.com/@:?#\\%2e*-_ a1。"), maxLength: 20 });
    fastCheck.assert(
      fastCheck.property(part, part, (before, after) => {
        const text = `https://${before}evil.org${after}`;
        if (!allows("https://example.com", text)) return;
        assert.equal(new URL(text).hostname, "example.com");
        assert.equal(new URL(text).username, "");
      }),
      { numRuns: 3_000 },
    );
  });

  const faulty = [
    "https://*",
    "https://*.com",
    "https://ex*mple.com",
    "https://a.*.example.com",
    "https://user@example.com",
    "https://example.com/?q",
    "https://example.com/a*b",
    "ftp://example.com",
    "https://",
    "exa mple.com",
    " example.com",
    "",
    "https://*.1.2",
    "https://exam\u200bple.com",
    "javascript:alert(1)",
    "x".repeat(501),
  ];
  for (const text of faulty)
    it(`is not read from ${JSON.stringify(text.slice(0, 40))}`, () => {
      assert.ok("fault" in readPattern("net", text, true));
      assert.ok("fault" in readTrusted(text));
    });
});

describe("a command", () => {
  const run = (pattern: string, text: string | readonly string[], isStrict = true) =>
    matches("exec", pattern, { kind: "command", command: text, isSandboxed: true, hasNetwork: false }, isStrict);

  it("is meant alone, or with plain words behind it", () => {
    assert.equal(run("git status", "git status"), true);
    assert.equal(run("git status", "git status -s"), false);
    assert.equal(run("git log *", "git log main src/a.ts"), true);
    assert.equal(run("git log *", ["git", "log", "main"]), true);
    assert.equal(run("git log *", "git log"), true);
  });

  for (const text of [
    "git log main; rm x",
    "git log main && curl evil.org",
    "git log $(id)",
    "git log `id`",
    "git log main | sh",
    "git log main > x",
    "git log --output=/etc/x",
    "git log -x",
    "git log main\nid",
    "git log {a,b}",
    "git log 'a b'",
    "git log *",
    "git log ~",
    "gitlog x",
    "git logs x",
    "sudo git log x",
    "git log  x\u00a0y",
    "git log \u202ex",
  ])
    it(`git log * does not allow ${JSON.stringify(text)}`, () => assert.equal(run("git log *", text), false));

  it("that is denied is found behind others", () => {
    for (const text of [
      "git push",
      "ls; git push origin",
      "sudo git push",
      "/usr/bin/git push -f",
      "g''it push",
      "x=$(git push)",
    ])
      assert.equal(run("git push *", text, false), true, text);
    assert.equal(run("git push *", "git pull", false), false);
  });

  it("that runs others can't be allowed with a star", () => {
    for (const text of [
      "bash *",
      "sh *",
      "python3 *",
      "env *",
      "sudo *",
      "xargs *",
      "node *",
      "find *",
      "npx *",
      "ssh *",
      "awk *",
      "/usr/bin/env *",
    ])
      assert.ok("fault" in readPattern("exec", text, true), text);
    assert.ok("pattern" in readPattern("exec", "bash *", false));
    assert.ok("fault" in readPattern("exec", "git*", true));
    assert.ok("fault" in readPattern("exec", "g*t log *", true));
  });
});

describe("other targets", () => {
  it("are recipients by their whole id", () => {
    const to = (text: string, isStrict: boolean) =>
      matches("send", "email:user:ada@example.org", recipient(text), isStrict);
    assert.equal(to("email:user:ada@example.org", true), true);
    for (const text of [
      "email:user:ada@example.org.evil.org",
      "email:user:аda@example.org",
      "telegram:user:ada@example.org",
      "email:group:ada@example.org",
    ]) {
      assert.equal(to(text, true), false, text);
      assert.equal(to(text, false), false, text);
    }
    assert.equal(to("email:user:ADA@example.org", true), false);
    assert.equal(to("email:user:ADA@example.org", false), true);
    for (const text of ["telegram:user:*", "telegram:42", "42", "telegram:user:"])
      assert.ok("fault" in readPattern("send", text, true), text);
  });

  it("are files and folders", () => {
    const at = (pattern: string, text: string, isStrict: boolean) => matches("fs.write", pattern, path(text), isStrict);
    assert.equal(at("notes/*", "notes/a/b.md", true), true);
    assert.equal(at("notes/*", "./notes//a", true), true);
    assert.equal(at("notes/*", "notes", true), false);
    assert.equal(at("notes/*", "notes-2/a", true), false);
    assert.equal(at("notes/*", "notes/../secret", true), false);
    assert.equal(at("secret/*", "notes/../Secret/a", false), true);
    assert.equal(at("a.txt", "a.txt", true), true);
    assert.equal(at("a.txt", "a.txt.exe", true), false);
    for (const text of ["*", "a*b", "../x", "a/*/b"]) assert.ok("fault" in readPattern("fs.read", text, true), text);
  });

  it("are of their permission's kind, and some permissions have none", () => {
    assert.equal(matches("net", "https://example.com", command("https://example.com"), true), false);
    assert.ok("fault" in readPattern("memory", "x", true));
    assert.ok("pattern" in readTrusted("telegram:group:-100"));
  });
});
