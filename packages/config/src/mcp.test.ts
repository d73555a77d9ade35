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

  it("may read no folder that would open the machine", () => {
    for (const path of ["/", "/proc", "/proc/1/root", "/sys/", "/dev/shm", "/run/user", "/tmp", "/workspace"])
      assert.match(problemsOf(`{ command: [x], readable: ["${path}"] }`).join(), /would open more/, path);
    for (const path of ["opt", "/opt/../etc", "/opt/.."])
      assert.match(problemsOf(`{ command: [x], readable: ["${path}"] }`).join(), /must be an absolute path/, path);
  });
});
