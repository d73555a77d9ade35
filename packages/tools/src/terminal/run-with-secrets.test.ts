import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { WaitedCommand, Workspace } from "@talaria/agent";
import { brandAs, isGatewayError, type Sender } from "@talaria/protocol";
import { secretFor } from "../testing/secret-for.ts";
import { call, contextOf } from "../testing/tool-call.ts";
import { createRunWithSecrets } from "./run-with-secrets.ts";

const tool = createRunWithSecrets([secretFor("mine", "owner"), secretFor("ours", "member")]);

function sender(id: string, assurance: Sender["assurance"] = "platform"): Sender {
  return { userId: brandAs(id), assurance, displayName: id, kind: "person" } as unknown as Sender;
}

describe("run_with_secrets", () => {
  const ran: WaitedCommand[] = [];
  const workspace = {
    exec: async (command: WaitedCommand) => {
      ran.push(command);
      return { output: "done\n", leftOut: 0, end: { kind: "exit", code: 0 }, durationMs: 5 };
    },
  } as unknown as Workspace;
  const people = new Map([
    [brandAs("o"), "owner"],
    [brandAs("m"), "member"],
    [brandAs("g"), "guest"],
  ]) as never;
  const by = (secrets: readonly string[], ...requesters: readonly Sender[]) =>
    call(tool, { command: "x", secrets }, contextOf({ workspace, requesters, roles: people }));

  it("hands a command the secrets that it asks for, by name", async () => {
    assert.equal((await by(["mine"], sender("o"))).content, "done\n\n[exit code 0, after 0.0 s]".replace("\n\n", "\n"));
    await by(["ours"], sender("o"), sender("m"));
    assert.deepEqual(
      ran.splice(0).map(({ secrets }) => secrets),
      [["mine"], ["ours"]],
    );
    assert.deepEqual(tool.targets?.({ command: "x", secrets: ["ours"] }).at(-1), {
      ...{ kind: "secret", name: "ours", hosts: ["api.example.org"] },
    });
  });

  it("refuses where somebody's words are in the turn who may not use it, also when they came later", async () => {
    const refused = [
      by(["mine"], sender("o"), sender("m")),
      by(["mine", "ours"], sender("m")),
      by(["ours"], sender("o"), sender("g")),
      by(["ours"], sender("o"), sender("nobody")),
      by(["ours"], sender("o", "claimed")),
      by(["ours"]),
    ];
    for (const one of refused) await assert.rejects(one, (error) => isGatewayError(error, "forbidden"));
    await assert.rejects(by(["other"], sender("o")));
    await assert.rejects(by([], sender("o")));
    assert.deepEqual(ran, []);
  });
});
