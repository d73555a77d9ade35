import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type OAuthPeer, oauthPeer } from "../../packages/mcp/src/testing/oauth-peer.ts";
import { Installation } from "../support/installation.ts";
import { waitFor } from "../support/wait-for.ts";

interface View {
  readonly name: string;
  readonly state: string;
  readonly tools: number;
  readonly canLogIn: boolean;
  readonly login?: {
    readonly state: string;
    readonly url?: string;
    readonly origin?: string;
    readonly problem?: string;
    readonly isInUse?: boolean;
  };
}

describe("a login to an MCP server from the console", () => {
  let talaria: Installation;
  let apart: OAuthPeer;
  let mixed: OAuthPeer;

  before(async () => {
    [apart, mixed] = await Promise.all([oauthPeer({ isApart: true }), oauthPeer({ iss: "https://evil.example" })]);
    talaria = await Installation.start({
      database: "shared",
      config: `
workers: { processes: 1 }
models: { main: { provider: openai-chat, baseUrl: "http://127.0.0.1:9/v1", apiKey: none, model: m } }
mcp:
  servers:
    notes: { url: "${apart.url}/mcp", oauth: {} }
    mixed: { url: "${mixed.url}/mcp", oauth: {} }
    plain: { url: "http://127.0.0.1:9/mcp" }
`,
      env: { LOG_LEVEL: "debug" },
    });
  });
  after(async () => {
    await talaria?.remove();
    await Promise.all([apart?.stop(), mixed?.stop()]);
  });

  const post = async (path: string, value: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${talaria.url}/api/mcp/logins${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${talaria.token}`,
        origin: talaria.url,
        "content-type": "application/json",
        ...headers,
      },
      body: typeof value === "string" ? value : JSON.stringify(value),
    });
    return { status: answer.status, body: (await answer.json()) as { error?: string; server?: string } };
  };
  const views = async () => {
    const answer = await talaria.fetch("/api/mcp");
    return ((await answer.json()) as { servers: readonly View[] }).servers;
  };
  const view = async (name: string) => (await views()).find((one) => one.name === name);
  const reached = (name: string, state: string) =>
    waitFor(async () => {
      const found = await view(name);
      return found?.login?.state === state ? found.login : undefined;
    }, `${state} of the login to ${name}`);
  const begin = async (name: string) => {
    await waitFor(async () => (await view(name))?.canLogIn, `a worker at the door`);
    assert.equal((await post("", { server: name })).status, 200);
  };

  it("asks about the origin, sends the browser back to the console, and gives the tools without a restart", async () => {
    await begin("notes");
    const { origin } = await reached("notes", "trust");
    assert.equal(origin, apart.issuer);
    assert.equal((await post("/trust", { server: "notes", origin: "https://evil.example", trusts: true })).status, 404);
    assert.equal((await post("/trust", { server: "notes", origin, trusts: true })).status, 200);
    const { url = "" } = await reached("notes", "browser");
    assert.equal(new URL(url).searchParams.get("code_challenge_method"), "S256");
    const back = await apart.agree(url);
    assert.equal(`${back.origin}${back.pathname}`, `${talaria.url}/console/login.html`);

    const forged = new URLSearchParams({ ...Object.fromEntries(back.searchParams), state: "guessed" });
    for (const parameters of [forged.toString(), "", "state=", "code=1"])
      assert.equal((await post("/finish", { parameters })).status, 400);
    const stranger = await post("/finish", { parameters: back.search }, { authorization: "Bearer guessed" });
    assert.equal(stranger.status, 401);
    const finished = await Promise.all(
      Array.from({ length: 12 }, () => post("/finish", { parameters: back.search.slice(1) })),
    );
    const [done, ...late] = finished.toSorted((one, other) => one.status - other.status);
    assert.deepEqual(done, { status: 200, body: { server: "notes" } });
    for (const { status, body } of late)
      if (status !== 200) assert.equal(body.error, "this address belongs to no open login: begin again");
    assert.equal(apart.seen.redemptions, 1, "a code is shown to its server once, however often somebody presses");
    await reached("notes", "done");
    const replayed = await post("/finish", { parameters: back.search.slice(1) });
    assert.deepEqual(
      [replayed.status, replayed.body.error],
      [400, "this address belongs to no open login: begin again"],
    );
    const ready = await waitFor(async () => {
      const found = await view("notes");
      return found?.state === "ready" ? found : undefined;
    }, "the tools");
    assert.ok(ready.tools > 0);
    const log = await readFile(join(talaria.home, "logs", "talaria.log"), "utf8");
    for (const secret of [back.searchParams.get("code"), back.searchParams.get("state"), "access_token"])
      assert.ok(secret && !log.includes(secret));
    assert.ok(!JSON.stringify(await views()).includes("access_token"));
  });

  it("says where the server lets us in already, and asks the browser again only where that is wanted", async () => {
    await begin("notes");
    assert.deepEqual(
      await waitFor(async () => {
        const login = (await view("notes"))?.login;
        return login?.isInUse ? login.state : undefined;
      }, "a login that was not needed"),
      "done",
    );
    assert.equal(apart.seen.redemptions, 1);
    assert.equal((await post("", { server: "notes", isAnew: true })).status, 200);
    await reached("notes", "trust");
    assert.equal((await post("/trust", { server: "notes", origin: apart.issuer, trusts: true })).status, 200);
    const { url = "" } = await reached("notes", "browser");
    const back = await apart.agree(url);
    assert.equal((await post("/finish", { parameters: back.search })).status, 200);
    assert.equal((await reached("notes", "done")).isInUse, undefined);
    assert.equal(apart.seen.redemptions, 2);
  });

  it("takes no code of another issuer, and says so", async () => {
    await begin("mixed");
    const { url = "" } = await reached("mixed", "browser");
    const back = await mixed.agree(url);
    const refused = await post("/finish", { parameters: back.search });
    assert.equal(refused.status, 400);
    assert.match(refused.body.error ?? "", /the login failed/);
    assert.match((await reached("mixed", "failed")).problem ?? "", /the login failed/);
  });

  it("counts once for each server however often it is begun, and only the newest can be ended", async () => {
    await begin("mixed");
    const { url: first = "" } = await reached("mixed", "browser");
    const old = await mixed.agree(first);
    const many = await Promise.all(Array.from({ length: 30 }, () => post("", { server: "mixed" })));
    assert.ok(
      many.every(({ status }) => status === 200 || status === 409),
      JSON.stringify(many[0]),
    );
    await reached("mixed", "browser");
    assert.equal((await post("/finish", { parameters: old.search })).status, 400);
  });

  it("is begun by nobody without the console's token, by no other page, and for no other server", async () => {
    for (const [path, value, headers, status] of [
      ["", { server: "notes" }, { authorization: "" }, 401],
      ["", { server: "notes" }, { authorization: "Bearer guessed" }, 401],
      ["", { server: "notes" }, { origin: "https://evil.example" }, 403],
      ["", { server: "absent" }, {}, 404],
      ["", { server: "__proto__" }, {}, 404],
      ["", { server: "plain" }, {}, 400],
      ["", { server: 1 }, {}, 400],
      ["", "{", {}, 400],
      ["", { server: "notes", redirectUrl: "https://evil.example" }, {}, 400],
      ["", { server: "x".repeat(20_000) }, {}, 413],
      ["/finish", { parameters: "x".repeat(9_000) }, {}, 400],
    ] as const) {
      const { status: got, body } = await post(path, value, { ...headers });
      assert.equal(got, status, `${JSON.stringify(value).slice(0, 80)}: ${body.error}`);
    }
    assert.equal((await fetch(`${talaria.url}/api/mcp`)).status, 401);
    assert.equal((await view("plain"))?.canLogIn, false);
  });
});
