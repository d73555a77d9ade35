import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { NetworkUse, RefusedHost, Workspace } from "@talaria/agent";
import { call, contextOf } from "../testing/tool-call.ts";
import { networkNotes } from "./command-network.ts";
import { terminal } from "./terminal.ts";

const use = (...refused: readonly RefusedHost[]): NetworkUse => ({ hasReached: false, refused });

describe("what a command was kept from", () => {
  it("is named in its result, with what to do", () => {
    const notes = networkNotes(
      use(
        { host: "pypi.org", why: "unnamed" },
        { host: "files.example.org:8443", why: "unnamed" },
        { host: "10.0.0.1", why: "unnamed" },
        { host: "inside.example.org", why: "private" },
        { host: "nowhere.test", why: "nameless" },
        { host: "gone.example.org", why: "away" },
      ),
      ["a.example.org"],
    );
    assert.deepEqual(notes, [
      '[pypi.org, files.example.org:8443 were refused: if it is needed, name it in network: ["a.example.org","pypi.org","files.example.org:8443"]]',
      "[10.0.0.1 was refused: a command reaches no addresses, only hosts that it names, such as example.org]",
      "[inside.example.org was refused: that leads to this machine, which never opens, or to a private network: there only the operator can open a host, in sandbox.network]",
      "[No address of nowhere.test can be found: look whether the name is right]",
      "[No answer from gone.example.org]",
    ]);
    assert.deepEqual(networkNotes(undefined), []);
    assert.deepEqual(networkNotes(use()), []);
  });

  it("leaves its result the agent's own; what a host has said is a stranger's", async () => {
    const asked: (readonly string[] | undefined)[] = [];
    const with_ = (network: NetworkUse) => {
      const run: Workspace["run"] = async (_command, options) => {
        asked.push(options.network);
        return {
          output: "said",
          leftOut: 0,
          end: { kind: "exit", code: 0 },
          durationMs: 1,
          isNewShell: false,
          network,
        };
      };
      return contextOf({ workspace: { run } as unknown as Workspace });
    };
    const kept = await call(terminal, { command: "curl x" }, with_(use({ host: "x.org", why: "unnamed" })));
    assert.equal(kept.untrusted, undefined);
    assert.match(kept.content, /\[x\.org was refused: .* network: \["x\.org"\]\]$/);
    const input = { command: "curl x", network: ["x.org", "x.org"] };
    const reached = await call(terminal, input, with_({ hasReached: true, refused: [] }));
    assert.equal(reached.untrusted, true);
    assert.deepEqual(asked, [[], ["x.org"]]);
  });

  it("can't be an address, a star or more than sixteen hosts", () => {
    for (const network of [["10.0.0.1"], ["*.example.org"], ["localhost"], ["https://a.org"], Array(17).fill("a.org")])
      assert.equal(terminal.input.safeParse({ command: "x", network }).success, false, network[0]);
  });
});
