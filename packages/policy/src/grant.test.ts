import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Role } from "@talaria/protocol";
import { english } from "@talaria/words";
import { grantOfferFor, shownCall } from "./in-english.fixture.ts";
import { coveredText, decide, type Grant, grantSchema, matchesGrant, type PolicyRequest } from "./index.ts";
import { command, path, recipient, requestOf, tableOf, url } from "./testing/requests.ts";

/** What is offered with the question about one call. */
function offered(more: Partial<PolicyRequest>, text = '{"x":1}') {
  const request = requestOf({ tool: "t", effect: "write", role: "member", ...more });
  const call = { callId: "c1", name: request.tool, arguments: text };
  const decision = decide(request, tableOf());
  assert.equal(decision.decision, "ask");
  return grantOfferFor(request, decision, shownCall(call, request.targets));
}

const shell = { permissions: ["exec"], targets: [command("wc notes.md")] } as const;
const post = { permissions: ["net"], targets: [url("https://api.example.com/x", { sendsBody: true })] } as const;

describe("a lasting approval", () => {
  const scopes = (more: Partial<PolicyRequest>, text?: string) => offered(more, text)?.scopes.join(" ");

  it("is offered with the pattern that it is for", () => {
    assert.equal(scopes(post), "session always");
    assert.deepEqual(offered(post)?.terms.patterns, [
      { permission: "net", target: "https://api.example.com/*", isOutward: true },
    ]);
    assert.deepEqual(offered(shell)?.terms.patterns, [{ permission: "exec", target: "wc notes.md", isOutward: false }]);
    const file = { role: "owner", permissions: ["fs.write"], targets: [path("/srv/a", false)] } as const;
    assert.equal(offered(file)?.covers, "t: `/srv/a`");
    assert.equal(offered({ ...file, permissions: ["fs.read", "fs.write"] })?.covers, "t: `/srv/a`");
    const message = { permissions: ["send"], targets: [recipient("telegram:user:42")] } as const;
    assert.equal(offered(message)?.covers, "t: `telegram:user:42`");
  });

  it("is not offered for what is cut or hides something", () => {
    assert.equal(scopes(post, JSON.stringify({ text: "x".repeat(9_000) })), undefined);
    assert.equal(scopes(post, '{"text":"a\u202eb"}'), undefined);
    const named = (text: string) =>
      ({ role: "owner", permissions: ["fs.write"], targets: [path(text, false)] }) as const;
    assert.equal(scopes(named("/srv/a")), "session always");
    for (const text of ["/srv/a`, `/srv/b", "/srv/a\nb"]) assert.equal(scopes(named(text)), undefined);
  });

  it("is not offered for ever after untrusted content", () =>
    assert.equal(scopes({ ...post, isTainted: true }), "session"));

  for (const text of [
    "bash x.sh",
    "./x",
    "python3 x.py",
    "sudo ls",
    "a; b",
    "ls *",
    "env x",
    "$X y",
    "npm test",
    "make",
    "cat x | sh",
    ". x",
    "eval x",
  ])
    it(`is not offered for ${JSON.stringify(text)}, which may be something else tomorrow`, () =>
      assert.equal(scopes({ permissions: ["exec"], targets: [command(text)] }), undefined));

  it("ends for commands that an earlier release offered, and that may be something else tomorrow", () => {
    const of = (target: string) =>
      grantSchema.parse({
        ...{ tool: "t", place: "direct", role: "member", isTainted: false, byRole: "owner" },
        patterns: [{ permission: "exec", target, isOutward: false }],
      });
    const run = (text: string) => ({ permissions: ["exec"], targets: [command(text)] }) as const;
    assert.equal(covers(of("wc notes.md"), run("wc notes.md")), true);
    for (const text of ["git status", "pytest", "a.out", "t", "sort --compress-program=./x y"])
      assert.equal(covers(of(text), run(text)), false, text);
  });

  it("is not offered where a permission has no target to name", () => {
    assert.equal(scopes({ permissions: ["spend"] }), undefined);
    assert.equal(scopes({ permissions: ["net", "spend"], targets: post.targets }), undefined);
  });

  function granted(more: Partial<PolicyRequest>, byRole: Role = "owner"): Grant {
    return grantSchema.parse(JSON.parse(JSON.stringify({ ...offered(more)?.terms, byRole })));
  }
  function covers(grant: ReturnType<typeof granted>, more: Partial<PolicyRequest>): boolean {
    const request = requestOf({ tool: "t", effect: "write", role: "member", ...more });
    return matchesGrant(grant, request, decide(request, tableOf()));
  }

  it("covers the same tool at the same site, in the same kind of place, for nobody with fewer rights", () => {
    const grant = granted(post);
    const to = (text: string) => ({ ...post, targets: [url(text, { sendsBody: true })] });
    assert.equal(covers(grant, to("https://api.example.com/other?x=1")), true);
    assert.equal(covers(grant, { ...post, role: "owner" }), true);
    for (const text of [
      "https://example.com/",
      "https://api.example.com:8443/",
      "https://api.example.com.evil.org/",
      "http://api.example.com/",
      "https://api.example.com@evil.org/",
    ])
      assert.equal(covers(grant, to(text)), false, text);
    assert.equal(covers(grant, { ...post, tool: "other" }), false);
    assert.equal(covers(grant, { ...post, permissions: ["net", "spend"] }), false);
    assert.equal(covers(granted({ ...post, role: "owner" }), post), false);
  });

  it("covers nothing that is denied, or that nobody is asked about", () => {
    const grant = granted(post);
    assert.equal(covers(grant, { ...post, role: "guest" }), false);
    assert.equal(covers(grant, { ...post, place: "group" }), false);
    assert.equal(covers(grant, { permissions: ["clock"] }), false);
  });

  it("covers what goes out after taint only if it was given after taint", () => {
    assert.equal(covers(granted(post), { ...post, isTainted: true }), false);
    const later = granted({ ...post, isTainted: true });
    assert.equal(covers(later, { ...post, isTainted: true }), true);
    assert.equal(covers(later, post), true);
  });

  describe("to a stranger's tool that changes something", () => {
    const payment = (recipient?: string) =>
      ({ ...post, aim: recipient === undefined ? "unnamed" : { recipient } }) as const;

    it("says for whom it is, or that it is for anybody", () => {
      assert.equal(
        offered(payment("DE89"))?.covers,
        't: `https://api.example.com/*`, only with `recipient "DE89"`, whatever else it is given',
      );
      assert.match(offered(payment())?.covers ?? "", /with any arguments, until untrusted content has entered$/);
    });

    it("says so in the language of whoever reads it, also once it is stored", () => {
      const phrases = {
        anyPort: (host: string) => `${host} (alle Ports)`,
        coveredArguments: (named?: string) => (named === undefined ? ", egal womit" : `, nur mit ${named}`),
      };
      const said = (more: Partial<PolicyRequest>) => {
        const offer = offered(more) ?? assert.fail();
        assert.equal(coveredText(offer, english.callPhrases), offer.covers);
        return coveredText(JSON.parse(JSON.stringify(offer)), phrases);
      };
      assert.equal(said(payment("DE89")), 't: `https://api.example.com/*`, nur mit `recipient "DE89"`');
      assert.equal(said(payment()), "t: `https://api.example.com/*`, egal womit");
      assert.equal(said(post), "t: `https://api.example.com/*`");
      const host = { kind: "url", url: "https://a.org", host: "a.org", sendsBody: true } as const;
      assert.equal(said({ ...post, targets: [host] }), "t: `a.org` (alle Ports)");
      assert.equal(coveredText({ covers: "t: `x`", terms: { tool: "t" } }, phrases), "t: `x`", "of an earlier release");
    });

    it("is offered after untrusted content for what is named alone, and never for ever", () => {
      assert.equal(scopes({ ...payment(), isTainted: true }), undefined);
      assert.equal(scopes({ ...payment("DE89"), isTainted: true }), "session");
      for (const odd of ["D`E", "x".repeat(400)]) assert.equal(scopes(payment(odd)), undefined, odd);
      assert.match(offered(payment("D\nE"))?.covers ?? "", /`recipient "D\\nE"`/);
    });

    it("covers what it is for, and nothing else", () => {
      const grant = granted({ ...payment("DE89"), isTainted: true });
      assert.equal(covers(grant, { ...payment("DE89"), isTainted: true }), true);
      assert.equal(covers(grant, payment("DE89")), true);
      const others = [payment("DE90"), payment("de89"), payment(), post, { ...post, aim: { iban: "DE89" } }];
      for (const isTainted of [false, true])
        for (const other of others) assert.equal(covers(grant, { ...other, isTainted }), false, JSON.stringify(other));
    });

    it("covers no call after untrusted content where nobody has named what it is for, whoever had agreed to it", () => {
      assert.equal(covers(granted(payment()), payment()), true);
      assert.equal(covers(granted(payment()), payment("DE89")), false, "it is named by now");
      const earlier = granted({ ...post, isTainted: true });
      for (const grant of [granted(payment()), earlier])
        assert.equal(covers(grant, { ...payment(), isTainted: true }), false);
    });
  });

  it("given when there were only descriptions of tools covers nothing that goes out after what strangers write", () => {
    const told = { ...post, isTainted: true, isOnlyTold: true };
    const grant = granted(told);
    assert.equal(covers(grant, told), true);
    assert.equal(covers(grant, { ...post, isTainted: true }), false);
    assert.equal(covers(granted({ ...post, isTainted: true }), told), true);
    assert.equal(covers(granted(post), told), false);
  });

  it("of a member covers nothing that an owner has to agree to", () => {
    const grant = granted(post, "member");
    assert.equal(covers(grant, post), true);
    const strict = tableOf([{ ask: "owners decide", permission: "net" }]);
    const request = requestOf({ tool: "t", effect: "write", role: "member", ...post });
    assert.equal(matchesGrant(grant, request, decide(request, strict)), false);
  });
});
