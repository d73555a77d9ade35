import { GatewayError } from "@talaria/protocol";
import { z } from "zod";
import { rankTools } from "./rank-tools.ts";
import { defineTool, type Tool, type ToolResult, toolSpecs } from "./tool.ts";

const mostFound = 8;
const mostSchemaChars = 16_000;
const mostNameChars = 6_000;

const input = z.strictObject({ query: z.string().trim().max(200).optional() });

/** What its description says of what it finds. It stands in every request. */
export interface Findable {
  /** Of tools that are told of by name. */
  readonly names: readonly string[];
  /** It finds others besides, which come and go. */
  readonly andOthers: boolean;
}

/** Looks for tools that do not stand in the request. Its own description doesn't change with those that come and go. */
export function createFindTools(tools: readonly Tool[], findable: Findable): Tool {
  return defineTool<typeof input, ToolResult>({
    name: "find_tools",
    description:
      `Shows how further tools are called, by name or by words for what they do${listOf(findable)}. Then use call_tool. Look here before ` +
      "you say that you don't know or can't do something.",
    effect: "read",
    permissions: [],
    input,
    // The tool is made in each turn, this only once.
    parameters: { type: "object", properties: { query: { type: "string" } } },
    resources: () => [],
    doing: () => "looking for a tool",
    async execute({ query = "" }) {
      const found = query === "" ? [] : rankTools(query, tools).slice(0, mostFound);
      return { content: found.length === 0 ? listed(tools, query) : described(found, tools.length) };
    },
  });
}

/** Stands in the request for all that is found. A call that names a tool is that tool's: see `meantCall`. This one has gone wrong. */
export const callToolTool: Tool = defineTool({
  name: "call_tool",
  description: "Calls a tool that find_tools has shown, with an input that fits its schema.",
  effect: "read",
  permissions: [],
  input: z.strictObject({
    name: z.string().min(1).max(64),
    input: z.record(z.string(), z.unknown()),
  }),
  parameters: {
    type: "object",
    properties: { name: { type: "string" }, input: { type: "object" } },
    required: ["name", "input"],
  },
  resources: () => [],
  execute({ name }) {
    throw new GatewayError(`there is no tool called "${name}" to be called: look for its name with find_tools`, {
      code: "not_found",
    });
  },
});

function listOf({ names, andOthers }: Findable): string {
  if (names.length === 0) return "; without a query, all names";
  return `: ${names.join(", ")}${andOthers ? ", and those of other services (without a query, all names)" : ""}`;
}

function described(found: readonly Tool[], count: number): string {
  const specs = new Map(toolSpecs(found).map((spec) => [spec.name, spec]));
  const texts: string[] = [];
  let chars = 0;
  for (const { name } of found) {
    const spec = specs.get(name);
    const text = JSON.stringify({ name, description: spec?.description, input: spec?.parameters });
    if (texts.length > 0 && chars + text.length > mostSchemaChars) break;
    texts.push(text);
    chars += text.length;
  }
  return `The best ${texts.length} of ${count} tools. Call one with call_tool.\n\n${texts.join("\n\n")}`;
}

function listed(tools: readonly Tool[], query: string): string {
  if (tools.length === 0) return "There are no other tools now.";
  const names: string[] = [];
  let chars = 0;
  for (const { name } of tools.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    if (chars + name.length > mostNameChars) break;
    names.push(name);
    chars += name.length + 2;
  }
  const rest = tools.length - names.length;
  const opening = query === "" ? `${tools.length} tools` : `No tool matches these words. There are ${tools.length}`;
  return `${opening}: ${names.join(", ")}${rest === 0 ? "" : `, and ${rest} more`}`;
}
