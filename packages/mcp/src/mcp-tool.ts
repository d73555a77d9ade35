import { createHash } from "node:crypto";
import type { Tool as ListedTool } from "@modelcontextprotocol/client";
import {
  defineTool,
  type HeadlineWords,
  type Tool,
  type ToolContext,
  type ToolResult,
  toolSpecs,
} from "@talaria/agent";
import type { Target } from "@talaria/protocol";
import { z } from "zod";
import { addressParameters, callAddresses } from "./call-addresses.ts";
import { callAim } from "./call-aim.ts";
import type { KeptTool } from "./kept-tool.ts";
import { defaultCallTimeoutMs, isStdio, type McpServerConfig } from "./mcp-config.ts";
import { plainSchema } from "./plain-schema.ts";
import { toolName } from "./tool-name.ts";
import { label, toolDescription } from "./untrusted.ts";

const mostHeaderSchemaChars = 20_000;

/** A tool of a server. It stays callable for as long as the server has it, also when newer lists describe it differently. */
export interface McpTool extends Tool<z.ZodType, ToolResult> {
  readonly server: string;
  /** What the server calls it. */
  readonly nameThere: string;
  /** The server's own schema, where it wants parameters repeated in headers of the request (SEP-2243). Only the SDK reads it. */
  readonly headerSchema?: ListedTool["inputSchema"];
  /** The server says of it that it changes things. */
  readonly isAdmitted: boolean;
  /** Of all that the model sees of it and of its effect: another one means another tool. */
  readonly digest: string;
}

export type CallServer = (tool: McpTool, input: unknown, context: ToolContext) => Promise<ToolResult>;

/** Throws an `Error` that says why this tool can't be offered. */
export function mcpTool(server: string, listed: ListedTool, config: McpServerConfig, call: CallServer): McpTool {
  if (listed.execution?.taskSupport === "required") throw new Error("it only runs as a task, which is not supported");
  const { annotations } = listed;
  const parameters = plainSchema(listed.inputSchema);
  const isAdmitted = annotations?.destructiveHint === true || annotations?.readOnlyHint === false;
  const tool: Tool<z.ZodType, ToolResult> = {
    name: toolName(server, listed.name),
    description: toolDescription(server, listed.description),
    input: inputOf(parameters),
    ...reachOf(
      { server, nameThere: listed.name, parameters, effect: effectOf(listed.name, isAdmitted, config) },
      config,
    ),
    timeoutMs: config.timeoutMs ?? defaultCallTimeoutMs,
    execute: (input, context) => call(made, input, context),
  };
  const digest = digestOf(toolSpecs([tool]), tool.effect);
  const made: McpTool = Object.assign(defineTool(tool), {
    server,
    nameThere: listed.name,
    isAdmitted,
    digest,
    ...(hasHeaders(listed) ? { headerSchema: listed.inputSchema } : {}),
  });
  return made;
}

/**
 * A tool as a prompt was shown it, whatever the server's list says by now. Calls of it are checked against that list. Whether it
 * only looks is what the operator says now.
 */
export function restoredTool(
  server: string,
  { name, nameThere, description, parameters, isAdmitted, digest, headerSchema }: KeptTool,
  config: McpServerConfig,
  call: CallServer,
): McpTool {
  const tool: Tool<z.ZodType, ToolResult> = {
    name,
    description,
    parameters,
    input: laxInput(parameters),
    ...reachOf({ server, nameThere, parameters, effect: effectOf(nameThere, isAdmitted, config) }, config),
    timeoutMs: config.timeoutMs ?? defaultCallTimeoutMs,
    execute: (input, context) => call(made, input, context),
  };
  const made: McpTool = Object.assign(defineTool(tool), {
    server,
    nameThere,
    isAdmitted,
    digest,
    ...(headerSchema === undefined ? {} : { headerSchema: headerSchema as ListedTool["inputSchema"] }),
  });
  return made;
}

/** One digest for a whole list, whatever its order. Two lists with the same one make the same prompt. */
export function toolsDigest(tools: readonly Tool[]): string {
  return digestOf(toolSpecs(tools));
}

function digestOf(...parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

function hasHeaders({ inputSchema }: ListedTool): boolean {
  const text = JSON.stringify(inputSchema);
  return text.includes('"x-mcp-header"') && text.length <= mostHeaderSchemaChars;
}

function inputOf(schema: ReturnType<typeof plainSchema>): z.ZodType {
  try {
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (cause) {
    throw new Error("its input schema can't be read", { cause });
  }
}

/** What could be read once can be read again, unless a later release reads schemas in another way: then the server checks. */
function laxInput(parameters: KeptTool["parameters"]): z.ZodType {
  try {
    return z.fromJSONSchema(parameters as Parameters<typeof z.fromJSONSchema>[0]);
  } catch {
    return z.looseObject({});
  }
}

type Reach = Pick<
  Tool,
  "effect" | "onDemand" | "permissions" | "isForeign" | "describedBy" | "targets" | "aim" | "beside" | "inWords"
>;

interface Reaching {
  readonly server: string;
  readonly nameThere: string;
  readonly parameters: KeptTool["parameters"];
  readonly effect: Tool["effect"];
}

/**
 * What the model passes to a server over the network is its own, so the address is never a known one. Where a read gets what an
 * address of the model's names, that is a target, too.
 */
function reachOf({ server, nameThere, parameters, effect }: Reaching, config: McpServerConfig): Reach {
  const aim = (input: unknown) => callAim(nameThere, input, config);
  const beside = () => `${server}.${label(nameThere)}`;
  const inWords = (_: unknown, words: HeadlineWords) => ({
    headline: words.useServerTool({ name: label(nameThere) }, { name: server }),
    says: [],
  });
  const foreign = { effect, onDemand: true, isForeign: true, aim, beside, inWords } as const;
  const named = addressParameters(parameters);
  const addresses = (input: unknown): readonly Target[] =>
    effect === "write"
      ? []
      : callAddresses(input, named).map((address) => ({ kind: "url", sendsBody: false, ...address }));
  if (isStdio(config)) return { ...foreign, permissions: ["exec"], describedBy: `mcp:${server}`, targets: addresses };
  const { url } = config;
  const target = { kind: "url", url, sendsBody: effect === "write", isKnown: false } as const;
  return { ...foreign, permissions: ["net"], describedBy: url, targets: (input) => [target, ...addresses(input)] };
}

/** The operator says what only looks. What the server says of a tool can make it worse, never better. */
function effectOf(nameThere: string, isAdmitted: boolean, { reads }: McpServerConfig): Tool["effect"] {
  return reads?.includes(nameThere) === true && !isAdmitted ? "read" : "write";
}
