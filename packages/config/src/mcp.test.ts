import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkConfig, loadConfig } from "./load-config.ts";
import { formatProblem } from "./problem.ts";

const options = { file: "c.yaml", env: { TOKEN: "canary-token" } };

/** What an operator reads about one server, without the place. */
function problemsOf(server: string): readonly string[] {
  const { problems, loaded } = checkConfig(`mcp: { servers: { one: ${server} } }\n`, options);
  assert.equal(loaded, undefined);
  return problems.map((problem) => formatProblem(problem).replace(/^\S+ mcp\.servers\.one\.?/, ""));
}

describe("an MCP server", () => {
  it("is an address, or a program with what it may find", () => {
    const { config, secrets } = loadConfig(
      `mcp:
  servers:
    there: { url: "https://example.org/mcp", headers: { authorization: "Bearer \${TOKEN}" }, reads: [look] }
    here: { command: [node, server.js], readable: [/opt/server], folder: work, variables: { TOKEN: "\${TOKEN}" } }
`,
      options,
    );
    const { there, here } = config.mcp.servers;
    assert.equal(there?.headers.authorization?.reveal(), "Bearer canary-token");
    assert.deepEqual([here?.command, here?.readable, here?.folder], [["node", "server.js"], ["/opt/server"], "work"]);
    assert.equal(here?.variables.TOKEN?.reveal(), "canary-token");
    assert.ok(secrets.includes("canary-token"));
  });

  it("is not both, and not neither", () => {
    assert.deepEqual(problemsOf("{ reads: [x] }"), ["url: is required, unless `command` names a program"]);
    assert.deepEqual(problemsOf('{ url: "https://a.example", command: [x] }'), [
      "command: can't be combined with `url`: name one of both",
    ]);
    assert.deepEqual(problemsOf('{ url: "https://a.example", folder: x, readable: [/opt/x] }'), [
      "folder: goes with `command` alone",
      "readable: goes with `command` alone",
    ]);
    assert.deepEqual(problemsOf("{ command: [x], headers: { a: b } }"), ["headers: goes with `url` alone"]);
  });

  it("logs in as the server says, or as somebody registered by hand", () => {
    const { config } = loadConfig(
      `mcp:
  servers:
    a: { url: "https://a.example/mcp", oauth: {} }
    b: { url: "https://b.example/mcp", oauth: { clientId: us, clientSecret: "\${TOKEN}", origins: ["https://auth.example"] } }
`,
      options,
    );
    const { a, b } = config.mcp.servers;
    assert.deepEqual(a?.oauth, {
      grant: "authorization_code",
      redirectUrl: "http://127.0.0.1:7421/mcp/login",
      origins: [],
    });
    assert.deepEqual([b?.oauth?.clientSecret?.reveal(), b?.oauth?.origins], ["canary-token", ["https://auth.example"]]);
    assert.deepEqual(problemsOf("{ command: [x], oauth: {} }"), ["oauth: goes with `url` alone"]);
    assert.deepEqual(problemsOf('{ url: "https://a.example", oauth: { clientSecret: x } }'), [
      "oauth.clientId: is required with `clientSecret`",
    ]);
  });

  it("logs in by itself only with an id and a secret", () => {
    const oauth = (more: string) => `{ url: "https://a.example", oauth: { grant: client_credentials${more} } }`;
    const machine = oauth(`, clientId: us, clientSecret: "\${TOKEN}"`);
    const { one } = loadConfig(`mcp: { servers: { one: ${machine} } }`, options).config.mcp.servers;
    assert.deepEqual([one?.oauth?.grant, one?.oauth?.clientSecret?.reveal()], ["client_credentials", "canary-token"]);
    assert.match(problemsOf(oauth("")).join(), /^oauth\.clientSecret: is required with `grant/);
    assert.match(problemsOf(oauth(", clientId: us")).join(), /^oauth\.clientSecret: is required/);
  });

  it("has digests as the status names them", () => {
    const pinned = `{ url: "https://a.example", digests: { look: unknown, act: ${"0f".repeat(16)} } }`;
    assert.deepEqual(loadConfig(`mcp: { servers: { one: ${pinned} } }`, options).config.mcp.servers.one?.digests, {
      look: "unknown",
      act: "0f".repeat(16),
    });
    assert.match(
      problemsOf('{ url: "https://a.example", digests: { look: abc } }').join(),
      /digests\.look: must be a digest/,
    );
  });

  it("names the arguments that say whom a call is for, of tools that change something", () => {
    const bank = '{ url: "https://a.example", reads: [look], targets: { pay: recipient, mail: [to, cc] } }';
    assert.deepEqual(loadConfig(`mcp: { servers: { one: ${bank} } }`, options).config.mcp.servers.one?.targets, {
      pay: "recipient",
      mail: ["to", "cc"],
    });
    for (const [targets, problem] of [
      ["{ look: id }", /targets\.look: is for tools that change something/],
      ["{ pay: [] }", /targets\.pay/],
      ['{ pay: "" }', /targets\.pay/],
      ["recipient", /targets/],
    ] as const)
      assert.match(problemsOf(`{ url: "https://a.example", reads: [look], targets: ${targets} }`).join(), problem);
  });

  it("may read no folder that would open the machine", () => {
    for (const path of ["/", "/proc", "/proc/1/root", "/sys/", "/dev/shm", "/run/user", "/tmp", "/workspace"])
      assert.match(problemsOf(`{ command: [x], readable: ["${path}"] }`).join(), /would open more/, path);
    for (const path of ["opt", "/opt/../etc", "/opt/.."])
      assert.match(problemsOf(`{ command: [x], readable: ["${path}"] }`).join(), /must be an absolute path/, path);
  });
});
