import { randomUUID } from "node:crypto";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { changesSomething } from "../../../apps/worker/src/testing/plan.ts";
import { folderName } from "../../../packages/sandbox/src/host-folder.ts";

/** Kinds of calls for which there are tools here. Two of them are asked about, see `rules`. */
export const kinds = ["read", "write", "look", "ask"] as const;

/** YAML for the owners' direct conversations. */
export const rules = `
policy:
  rules:
    - { ask: somebody has to know, tool: ask }
    - { ask: somebody has to know, tool: look }
`;

/** What the workspace of a conversation shows of its calls, to whoever looks from outside. */
const folders = { effects: "effects", gates: "gates" } as const;

/** Writes an operator's tool of each kind. A call that changes something leaves a file of its own for each time that it runs. */
export async function writeTools(home: string): Promise<void> {
  const folder = join(home, "tools");
  await mkdir(folder, { recursive: true });
  await Promise.all(kinds.map((kind) => writeFile(join(folder, `${kind}.ts`), sourceOf(kind))));
}

function sourceOf(kind: (typeof kinds)[number]): string {
  const isWrite = changesSomething(kind);
  return `export default {
  name: "${kind}",
  description: "${kind}",
  input: {
    type: "object",
    properties: { name: { type: "string" }, waits: { type: "boolean" } },
    required: ["name", "waits"],
  },
  effect: "${isWrite ? "write" : "read"}",
  handles: { files: "${isWrite ? "write" : "read"}" },
  async run({ name, waits }: { name: string; waits: boolean }, { files, signal }) {
    ${isWrite ? `await files.write("${folders.effects}/" + name + "~" + crypto.randomUUID(), "done");` : ""}
    while (waits && !signal.aborted) {
      const opened = await files.list("${folders.gates}").catch(() => []);
      if (JSON.stringify(opened).includes('"' + name + '"')) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return "did " + name;
  },
};
`;
}

/** Lets a call that waits go on, now and whenever it is run again. */
export async function openGate(workspaces: string, sessionKey: string, name: string): Promise<void> {
  const gate = join(workspaces, folderName(sessionKey), "files", folders.gates, name);
  await mkdir(dirname(gate), { recursive: true });
  await writeFile(gate, randomUUID());
}

/** By name of the call, how often it has changed something in this conversation. */
export async function effectsOf(workspaces: string, sessionKey: string): Promise<ReadonlyMap<string, number>> {
  const folder = join(workspaces, folderName(sessionKey), "files", folders.effects);
  const names = (await readdir(folder).catch(() => [])).map((file) => file.split("~")[0] ?? "");
  return new Map(
    Map.groupBy(names, (name) => name)
      .entries()
      .map(([name, { length }]) => [name, length]),
  );
}
