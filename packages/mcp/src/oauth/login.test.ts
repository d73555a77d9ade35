import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { systemClock } from "@talaria/protocol";
import { codeOf } from "@talaria/testkit";
import type { LoginPort, LoginRequest, LoginStore, McpDeps } from "../index.ts";
import { callTool, reached, startMcp } from "../mcp.fixture.ts";
import { type OAuthPeerOptions, oauthPeer } from "../testing/oauth-peer.ts";

const redirectUrl = "http://127.0.0.1:1/mcp/login";

function memoryStore(): LoginStore & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    load: async (server, issuer) => texts.get(`${server} ${issuer}`),
    save: async (server, issuer, secret) => void texts.set(`${server} ${issuer}`, secret),
    forget: async (server, issuer) => void texts.delete(`${server} ${issuer}`),
  };
}

interface Desk extends LoginPort {
  readonly asked: LoginRequest[];
  readonly store: ReturnType<typeof memoryStore>;
}

function desk(store = memoryStore()): Desk {
  const asked: LoginRequest[] = [];
  return { asked, store, ask: async (request) => void asked.push(request) };
}

async function peerFor(test: TestContext, options: OAuthPeerOptions = {}) {
  const peer = await oauthPeer(options);
  test.after(() => peer.stop());
  return peer;
}

function start(test: TestContext, url: string, login: LoginPort, more: Partial<McpDeps> = {}) {
  return startMcp(test, { locked: { url: `${url}/mcp`, oauth: { redirectUrl } } }, { login, ...more });
}

/** Asks, agrees, comes back. */
async function loggedIn(test: TestContext, options: OAuthPeerOptions = {}) {
  const peer = await peerFor(test, options);
  const login = desk();
  const mcp = start(test, peer.url, login);
  await reached(mcp, "login");
  const [request] = login.asked;
  assert.ok(request?.kind === "browser");
  return { peer, login, mcp, callback: await peer.agree(request.url) };
}

describe("a login in a browser", () => {
  it("asks a person once, and connects when they come back", async (test) => {
    const { mcp, login, callback } = await loggedIn(test);
    assert.match(mcp.status()[0]?.problem ?? "", /a person has been asked to log in/);
    await mcp.finishLogin("locked", callback.searchParams);
    await reached(mcp, "ready");
    assert.match((await callTool(mcp, "mcp_locked_echo", { text: "hi" })).content, /echo hi$/);
    assert.equal(login.asked.length, 1);
  });

  it("is for whoever began it, and ends once", async (test) => {
    const { mcp, callback } = await loggedIn(test);
    const foreign = new URLSearchParams({ ...Object.fromEntries(callback.searchParams), state: "guessed" });
    assert.equal(await codeOf(mcp.finishLogin("locked", foreign)), "invalid_request");
    assert.equal(await codeOf(mcp.finishLogin("other", callback.searchParams)), "not_found");
    await mcp.finishLogin("locked", callback.searchParams);
    assert.equal(await codeOf(mcp.finishLogin("locked", callback.searchParams)), "invalid_request");
  });

  it("takes no code that another issuer sends", async (test) => {
    const { mcp, login, callback } = await loggedIn(test, { iss: "https://evil.example" });
    assert.equal(await codeOf(mcp.finishLogin("locked", callback.searchParams)), "unauthorized");
    assert.equal(mcp.status()[0]?.state, "login");
    assert.equal(
      [...login.store.texts.values()].some((text) => text.includes("access_token")),
      false,
    );
  });

  it("marks what the server says of a refusal as its words, short and plain", async (test) => {
    const refusal = `no "entry"\u202e\n<img src=x> ${"A".repeat(5_000)}`;
    const { mcp, callback } = await loggedIn(test, { refusal });
    await assert.rejects(mcp.finishLogin("locked", callback.searchParams), ({ message }: Error) => {
      assert.match(message, /^the login failed\. The server's own words: "no 'entry' <img src=x> A{100,200} \[cut\]"$/);
      return true;
    });
  });

  it("is asked for once a day, and again when somebody wants it", async (test) => {
    const { peer, login, mcp } = await loggedIn(test);
    await mcp.stop();
    const again = start(test, peer.url, login);
    await reached(again, "login");
    assert.equal(login.asked.length, 1);
    await again.askForLogin("locked");
    await test.waitFor(() => assert.equal(login.asked.length, 2), { timeout: 120_000 });
    const [, request] = login.asked;
    await again.finishLogin("locked", (await peer.agree(request?.url ?? "")).searchParams);
    await reached(again, "ready");
  });

  it("is over when the person refuses, who is not asked again", async (test) => {
    const { mcp, login, callback } = await loggedIn(test);
    const refusal = new URLSearchParams(callback.searchParams);
    refusal.delete("code");
    refusal.set("error", "access_denied");
    assert.equal(await codeOf(mcp.finishLogin("locked", refusal)), "unauthorized");
    assert.equal(await codeOf(mcp.finishLogin("locked", callback.searchParams)), "invalid_request");
    assert.equal(login.asked.length, 1);
  });

  it("lasts over a restart: neither asked nor registered again", async (test) => {
    const { peer, login, mcp, callback } = await loggedIn(test);
    await mcp.finishLogin("locked", callback.searchParams);
    await reached(mcp, "ready");
    await mcp.stop();
    const again = start(test, peer.url, login);
    await reached(again, "ready");
    assert.equal(login.asked.length, 1);
    assert.equal(peer.seen.registrations, 1);
  });

  it("is made anew where somebody wants that, and the one before holds until then", async (test) => {
    const { peer, login, mcp, callback } = await loggedIn(test);
    await mcp.finishLogin("locked", callback.searchParams);
    await reached(mcp, "ready");
    const again = start(test, peer.url, login);
    await again.askForLogin("locked", true);
    await reached(again, "login");
    assert.equal(login.asked.length, 2);
    assert.match((await callTool(mcp, "mcp_locked_echo", { text: "hi" })).content, /echo hi$/);
    await again.finishLogin("locked", (await peer.agree(login.asked[1]?.url ?? "")).searchParams);
    await reached(again, "ready");
    assert.match((await callTool(again, "mcp_locked_echo", { text: "ho" })).content, /echo ho$/);
    assert.equal(peer.seen.redemptions, 2);
  });

  it("registers its client again where it is sent back to another address, also one that an older release kept", async (test) => {
    const { peer, login, mcp, callback } = await loggedIn(test);
    await mcp.finishLogin("locked", callback.searchParams);
    await reached(mcp, "ready");
    await mcp.stop();
    peer.revokeAll();
    const kept = JSON.parse(login.store.texts.get(`locked ${peer.issuer}`) ?? "{}");
    login.store.texts.set(`locked ${peer.issuer}`, JSON.stringify({ ...kept, redirectUrl: undefined }));
    const other = "https://talaria.example/console/login.html";
    const again = startMcp(test, { locked: { url: `${peer.url}/mcp`, oauth: { redirectUrl: other } } }, { login });
    await again.askForLogin("locked");
    again.start();
    await reached(again, "login");
    const back = await peer.agree(login.asked.at(-1)?.url ?? "");
    assert.equal(`${back.origin}${back.pathname}`, other);
    await again.finishLogin("locked", back.searchParams);
    await reached(again, "ready");
    assert.equal(peer.seen.registrations, 2);
  });

  it("can be ended by another process, also after a restart", async (test) => {
    const { peer, login, mcp, callback } = await loggedIn(test);
    await mcp.stop();
    const again = start(test, peer.url, login);
    await reached(again, "login");
    assert.equal(login.asked.length, 1, "the open login is not asked for twice");
    await again.finishLogin("locked", callback.searchParams);
    await reached(again, "ready");
  });

  it("renews a token that has run out, once for all that wait for it", async (test) => {
    const { peer, login, mcp, callback } = await loggedIn(test);
    await mcp.finishLogin("locked", callback.searchParams);
    await reached(mcp, "ready");
    peer.expireTokens();
    const answers = await Promise.all(["a", "b", "c"].map((text) => callTool(mcp, "mcp_locked_echo", { text })));
    assert.deepEqual(
      answers.map(({ content }) => content.slice(-6)),
      ["echo a", "echo b", "echo c"],
    );
    assert.equal(peer.seen.refreshes, 1);
    assert.equal(login.asked.length, 1);
  });

  it("is renewed by two processes at once without anybody being asked", async (test) => {
    const { peer, login, mcp, callback } = await loggedIn(test);
    await mcp.finishLogin("locked", callback.searchParams);
    await reached(mcp, "ready");
    const other = start(test, peer.url, login);
    await reached(other, "ready");
    peer.expireTokens();
    const answers = await Promise.all([mcp, other].map((each) => callTool(each, "mcp_locked_echo", { text: "a" })));
    assert.deepEqual(
      answers.map(({ content }) => content.slice(-6)),
      ["echo a", "echo a"],
    );
    assert.equal(login.asked.length, 1);
  });

  it("is forgotten when it can't be renewed, and a person is asked", async (test) => {
    const { peer, login, mcp, callback } = await loggedIn(test);
    await mcp.finishLogin("locked", callback.searchParams);
    await reached(mcp, "ready");
    peer.revokeAll();
    await assert.rejects(callTool(mcp, "mcp_locked_echo", { text: "a" }), /wants a login first/);
    await reached(mcp, "login");
    assert.equal(login.asked.length, 2);
  });

  it("sends no one to an address that is not https", async (test) => {
    const peer = await peerFor(test);
    const evil: typeof fetch = async (url, init) => {
      const answer = await fetch(url, init);
      if (!String(url).includes("oauth-authorization-server")) return answer;
      return Response.json({ ...((await answer.json()) as object), authorization_endpoint: "http://evil.example/a" });
    };
    const login = desk();
    const mcp = start(test, peer.url, login, { fetch: evil });
    await reached(mcp, "down");
    assert.match(mcp.status()[0]?.problem ?? "", /an address that is not https/);
    assert.deepEqual(login.asked, []);
  });

  it("needs an address to come back to", async (test) => {
    const peer = await peerFor(test);
    const mcp = startMcp(test, { locked: { url: `${peer.url}/mcp`, oauth: {} } }, { login: desk() });
    await reached(mcp, "down");
    assert.match(mcp.status()[0]?.problem ?? "", /mcp\.servers\.locked\.oauth\.redirectUrl is missing/);
  });
});

describe("a process in which nobody can be asked", () => {
  const remedy = (server: string) => `run login ${server}`;
  /** A login that ended elsewhere is noticed soon. */
  const hurried = {
    ...systemClock,
    sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms >= 60_000 ? 200 : ms, signal),
  };

  it("begins no login, says what to do, and uses what another process has kept", async (test) => {
    const peer = await peerFor(test);
    const store = memoryStore();
    const worker = start(test, peer.url, { store, remedy }, { clock: hurried });
    await reached(worker, "login");
    assert.equal(worker.status()[0]?.problem, "nobody has logged in, or the login has ended: run login locked");
    assert.deepEqual([[...store.texts], peer.seen.registrations], [[], 0]);
    const login = desk(store);
    const other = start(test, peer.url, login);
    await reached(other, "login");
    await other.finishLogin("locked", (await peer.agree(login.asked[0]?.url ?? "")).searchParams);
    await reached(worker, "ready");
    assert.match((await callTool(worker, "mcp_locked_echo", { text: "hi" })).content, /echo hi$/);
  });

  it("renews tokens, and leaves a login alone that is under way elsewhere", async (test) => {
    const { peer, login, mcp, callback } = await loggedIn(test);
    await mcp.finishLogin("locked", callback.searchParams);
    await reached(mcp, "ready");
    await mcp.stop();
    const worker = start(test, peer.url, { store: login.store, remedy }, { clock: hurried });
    await reached(worker, "ready");
    peer.expireTokens();
    assert.match((await callTool(worker, "mcp_locked_echo", { text: "hi" })).content, /echo hi$/);
    assert.equal(peer.seen.refreshes, 1);
    peer.revokeAll();
    const progress = JSON.parse(login.store.texts.get("locked ") ?? "{}");
    login.store.texts.set("locked ", JSON.stringify({ ...progress, state: "open elsewhere", verifier: "v" }));
    await assert.rejects(callTool(worker, "mcp_locked_echo", { text: "a" }), /wants a login first/);
    await reached(worker, "login");
    const after = JSON.parse(login.store.texts.get("locked ") ?? "{}");
    assert.deepEqual([after.state, after.verifier], ["open elsewhere", "v"]);
  });
});

describe("a login whose scope does not do", () => {
  const remedy = (server: string) => `run login ${server}`;

  for (const hasDeviceCodes of [false, true])
    it(`is named in the error and the status, and made anew for more, ${hasDeviceCodes ? "by code" : "in a browser"}`, async (test) => {
      const peer = await peerFor(test, { callScope: "write", hasDeviceCodes });
      const store = memoryStore();
      const login = { ...desk(store), remedy };
      const enter = async (mcp: ReturnType<typeof start>) => {
        await reached(mcp, "login");
        const request = login.asked.at(-1);
        if (request?.kind === "code") peer.enter(request.userCode);
        else await mcp.finishLogin("locked", (await peer.agree(request?.url ?? "")).searchParams);
        await reached(mcp, "ready");
      };
      const first = start(test, peer.url, login);
      await enter(first);
      await first.stop();

      const worker = start(test, peer.url, { store, remedy });
      await reached(worker, "ready");
      assert.equal(worker.status()[0]?.problem, undefined);
      const why = 'it wants the scope "write" for some calls: run login locked';
      await assert.rejects(callTool(worker, "mcp_locked_echo", { text: "hi" }), (error: Error) => {
        assert.ok(
          error.message.includes(`to the account that is logged in (${why}). Nothing was done.`),
          error.message,
        );
        return true;
      });
      assert.deepEqual([worker.status()[0]?.state, worker.status()[0]?.problem], ["ready", why]);
      // A renewal gives no more than there was.
      peer.expireTokens();
      await assert.rejects(callTool(worker, "mcp_locked_echo", { text: "hi" }), /it wants the scope "write"/);

      const second = start(test, peer.url, login);
      await second.askForLogin("locked");
      await enter(second);
      assert.deepEqual(peer.seen.scopes, ["read", "read write"]);
      assert.match((await callTool(worker, "mcp_locked_echo", { text: "hi" })).content, /echo hi$/);
      assert.equal(worker.status()[0]?.problem, undefined);
      assert.equal(login.asked.length, 2);
    });

  it("is asked for by itself where a person can be asked", async (test) => {
    const { mcp, login, peer, callback } = await loggedIn(test, { callScope: "write" });
    await mcp.finishLogin("locked", callback.searchParams);
    await reached(mcp, "ready");
    await assert.rejects(callTool(mcp, "mcp_locked_echo", { text: "hi" }), /it wants the scope "write"/);
    await reached(mcp, "login");
    await mcp.finishLogin("locked", (await peer.agree(login.asked[1]?.url ?? "")).searchParams);
    await reached(mcp, "ready");
    assert.match((await callTool(mcp, "mcp_locked_echo", { text: "hi" })).content, /echo hi$/);
  });
});

describe("a login without a person", () => {
  const machine = { id: "daemon", secret: "s3cret-of-the-daemon", scopes: ["read", "write"] };

  async function starting(test: TestContext, options: OAuthPeerOptions, secret = machine.secret) {
    const peer = await peerFor(test, { machine, ...options });
    const oauth = { grant: "client_credentials", clientId: machine.id, clientSecret: secret } as const;
    const store = memoryStore();
    const mcp = startMcp(test, { locked: { url: `${peer.url}/mcp`, oauth } }, { login: { store } });
    return { peer, mcp, store };
  }

  it("shows the client's own id and secret, again when the token has run out", async (test) => {
    const { peer, mcp, store } = await starting(test, {});
    await reached(mcp, "ready");
    assert.match((await callTool(mcp, "mcp_locked_echo", { text: "hi" })).content, /echo hi$/);
    peer.expireTokens();
    assert.match((await callTool(mcp, "mcp_locked_echo", { text: "ho" })).content, /echo ho$/);
    assert.deepEqual([peer.seen.scopes.length, peer.seen.registrations], [2, 0]);
    assert.ok([...store.texts.values()].every((text) => !text.includes(machine.secret)));
  });

  it("asks for a scope that a call lacks by itself, and says what the client may not have", async (test) => {
    const { peer, mcp } = await starting(test, { callScope: "write" });
    await reached(mcp, "ready");
    await assert.rejects(callTool(mcp, "mcp_locked_echo", { text: "hi" }), /it wants the scope "write"/);
    await test.waitFor(
      async () => assert.match((await callTool(mcp, "mcp_locked_echo", { text: "hi" })).content, /echo hi$/),
      { timeout: 120_000, interval: 100 },
    );
    assert.deepEqual(peer.seen.scopes, ["read", "read write"]);
    assert.equal(mcp.status()[0]?.problem, undefined);
  });

  it("is refused with a wrong secret, which is told nowhere", async (test) => {
    const { mcp } = await starting(test, {}, "wrong-wrong-wrong");
    await reached(mcp, "down");
    const { problem = "" } = mcp.status()[0] ?? {};
    assert.match(problem, /invalid_client/);
    assert.ok(!problem.includes("wrong-wrong"));
  });
});

describe("a login by code", () => {
  it("is shown anew after a restart, which forgets the code", async (test) => {
    const peer = await peerFor(test, { hasDeviceCodes: true });
    const login = desk();
    const servers = { locked: { url: `${peer.url}/mcp`, oauth: {} } };
    const mcp = startMcp(test, servers, { login });
    await reached(mcp, "login");
    await mcp.stop();
    await reached(startMcp(test, servers, { login }), "login");
    assert.equal(login.asked.length, 2);
    assert.equal(peer.seen.registrations, 1);
  });

  it("shows a code and connects when somebody has entered it", async (test) => {
    const peer = await peerFor(test, { hasDeviceCodes: true });
    const login = desk();
    const mcp = startMcp(test, { locked: { url: `${peer.url}/mcp`, oauth: {} } }, { login });
    await reached(mcp, "login");
    const [request] = login.asked;
    assert.ok(request?.kind === "code");
    assert.equal(request.url, `${peer.url}/activate`);
    await test.waitFor(() => assert.ok(peer.seen.polls > 0), { timeout: 120_000 });
    assert.equal(mcp.status()[0]?.state, "login");
    peer.enter(request.userCode);
    await reached(mcp, "ready");
    peer.expireTokens();
    assert.match((await callTool(mcp, "mcp_locked_echo", { text: "hi" })).content, /echo hi$/);
    assert.equal(peer.seen.refreshes, 1);
    assert.equal(login.asked.length, 1);
  });
});
