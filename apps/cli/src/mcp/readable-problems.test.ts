import assert from "node:assert/strict";
import { it } from "node:test";
import { loadConfig } from "@talaria/config";
import { readableProblems } from "./readable-problems.ts";

const servers = `
mcp:
  servers:
    desk: { command: [node, /opt/x], readable: [/usr/lib, /opt/absent-for-sure/desk] }
    far: { url: https://far.example/mcp }
`;

it("names the field and the remedy of a folder that is not there, where programs run on this machine", async () => {
  const problemsIn = (text: string) => readableProblems(loadConfig(text, { file: "c.yaml", env: {} }).config);
  assert.deepEqual(await problemsIn(servers), [
    "mcp.servers.desk.readable: /opt/absent-for-sure/desk does not exist: correct it or take it out",
  ]);
  assert.deepEqual(await problemsIn(`${servers}\nsandbox: { backend: "off" }`), []);
});
