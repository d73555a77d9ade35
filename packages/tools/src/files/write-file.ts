import { defineTool, type ToolResult } from "@talaria/agent";
import { isGatewayError } from "@talaria/protocol";
import { z } from "zod";
import { workspaceOf } from "../workspace-of.ts";
import { digestOf } from "./digest-of.ts";
import { fileResource, workspacePath } from "./file-resource.ts";
import { readTextFile, type TextFile } from "./text-file.ts";
import { unifiedDiff } from "./unified-diff.ts";

const mostChars = 1_000_000;

/** A new file, or the whole of an old one anew. */
export const writeFile = defineTool({
  name: "write_file",
  description: `Creates or overwrites a text file in the workspace, with its folders, and returns the diff. To change a part, use edit_file.`,
  effect: "write",
  permissions: ["fs.read", "fs.write"],
  timeoutMs: 30_000,
  input: z.strictObject({
    path: z.string().min(1).max(4_096),
    content: z.string().max(mostChars),
  }),
  resources: ({ path }) => [fileResource(path)],
  targets: ({ path }) => [workspacePath(path)],
  async execute({ path, content }, context): Promise<ToolResult> {
    const workspace = workspaceOf(context);
    const before = await readTextFile(workspace, path).catch((error: unknown) => {
      if (isGatewayError(error)) return undefined;
      throw error;
    });
    const bytes = Buffer.from(content, "utf8");
    await workspace.write(path, bytes);
    return {
      content: `${path} is written: ${bytes.byteLength} bytes.\n${await changeOf(path, before, content)}`.trimEnd(),
      did: [{ kind: "changed", path, digest: digestOf(bytes) }],
    };
  },
});

async function changeOf(path: string, before: TextFile | undefined, content: string): Promise<string> {
  if (before === undefined) return "";
  if (before.encoding !== "utf-8") {
    return `It was in ${before.encoding} and is UTF-8 now.\n${await unifiedDiff(path, before.text, content)}`;
  }
  return before.text === content ? "It had this content before." : await unifiedDiff(path, before.text, content);
}
