import { defineTool, type Tool, type ToolContext, type ToolResult } from "@talaria/agent";
import type { HandedSecret } from "@talaria/foreign-content";
import { type Clock, GatewayError, isGatewayError, type Permission, type Target } from "@talaria/protocol";
import { z } from "zod";
import { checkRequesters, type SecretHandle, secretsNamed, secretTargets } from "../secrets/secret-handle.ts";
import type { GuardedFetch } from "../web/guarded-fetch.ts";
import type { Children } from "./children.ts";
import { type Definition, readDefinition } from "./definition.ts";
import { type FoundFile, stampAt } from "./find-tool-files.ts";
import type { Handles } from "./messages.ts";
import type { ToolChild } from "./tool-child.ts";
import { useHandle } from "./use-handle.ts";

/** One version of one tool file: what its child said of it, and what it imports. */
export interface ToolFile {
  readonly found: FoundFile;
  /** Of the other files that it imports, by path. */
  readonly imported: ReadonlyMap<string, string>;
  /** Absent: it is broken, and `problem` says why. */
  readonly tool?: Tool;
  readonly problem?: string;
  /** When it is worth another look, unchanged as it is: its child said nothing, for want of time or memory. */
  readonly retryAt?: number;
}

export interface ToolFileDeps {
  readonly children: Children;
  readonly fetch: GuardedFetch;
  readonly secrets: readonly SecretHandle[];
  readonly clock: Pick<Clock, "elapsed">;
}

const retryMs = 300_000;

/** Has a child import the file and say what is in it. Never throws. */
export async function readToolFile(found: FoundFile, deps: ToolFileDeps): Promise<ToolFile> {
  let imported: ReadonlyMap<string, string> | undefined;
  try {
    const described = await describedBy(deps.children, found.path);
    imported = await stampsOf(described.files.filter((path) => path !== found.path));
    if (described.type === "broken") throw new Error(described.problem);
    const definition = readDefinition(described.definition, found.name);
    checkNamed(definition.handles, deps);
    return { found, imported, tool: toolOf(found, definition, deps) };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const retry = imported === undefined ? { retryAt: deps.clock.elapsed() + retryMs } : {};
    return { found, imported: imported ?? new Map(), problem: problem.slice(0, 1_000), ...retry };
  }
}

/** Whether nobody has written to the file, or to one that it imports, since it was read, and reading it again promises nothing new. */
export async function isStillThis(
  { found, imported, retryAt = Number.POSITIVE_INFINITY }: ToolFile,
  now: FoundFile,
  clock: Pick<Clock, "elapsed">,
): Promise<boolean> {
  if (now.stamp !== found.stamp || clock.elapsed() >= retryAt) return false;
  const stamps = await Promise.all([...imported].map(async ([path, stamp]) => (await stampAt(path)) === stamp));
  return stamps.every((isSame) => isSame);
}

async function describedBy(children: Children, path: string) {
  const child = children.begin(path);
  try {
    return await child.described();
  } finally {
    await child.stop();
  }
}

async function stampsOf(paths: readonly string[]): Promise<Map<string, string>> {
  const stamps = await Promise.all(paths.map(async (path) => [path, (await stampAt(path)) ?? ""] as const));
  return new Map(stamps);
}

function checkNamed({ secrets: names = [] }: Handles, { secrets }: ToolFileDeps): void {
  const missing = names.find((name) => !secrets.some((secret) => secret.name === name));
  if (missing !== undefined)
    throw new Error(`handles.secrets: there is no secret called ${missing}: name it in \`sandbox.secrets\``);
}

function toolOf(found: FoundFile, definition: Definition, deps: ToolFileDeps): Tool {
  const { name, description, effect, timeoutMs, handles, input } = definition;
  const secrets = secretsNamed(handles.secrets ?? [], deps.secrets);
  const targets = [...targetsOf(handles, effect), ...secretTargets(secrets)];
  return defineTool<z.ZodType, ToolResult>({
    name,
    description,
    effect,
    timeoutMs,
    permissions: permissionsOf(handles),
    onDemand: true,
    input: z.fromJSONSchema(input as Parameters<typeof z.fromJSONSchema>[0]),
    targets: () => targets,
    execute: (given, context) => execute(given, context, { found, definition, deps, secrets }),
  });
}

/** A tool without handles computes: it says that it touches nothing. */
function permissionsOf({ files, fetch, secrets }: Handles): readonly Permission[] {
  return [
    ...(files === undefined ? [] : (["fs.read"] as const)),
    ...(files === "write" ? (["fs.write"] as const) : []),
    ...(fetch === undefined ? [] : (["net"] as const)),
    ...(secrets === undefined ? [] : (["secret"] as const)),
  ];
}

/** The operator wrote the addresses, so they are known; what is below them is up to the tool. */
function targetsOf({ fetch = [] }: Handles, effect: Definition["effect"]): readonly Target[] {
  return fetch.map((url) => ({ kind: "url", url, sendsBody: effect === "write", isKnown: true }));
}

interface Version {
  readonly found: FoundFile;
  readonly definition: Definition;
  readonly deps: ToolFileDeps;
  readonly secrets: readonly SecretHandle[];
}

async function execute(input: unknown, context: ToolContext, version: Version): Promise<ToolResult> {
  const { found, definition, deps } = version;
  const { handles, effect } = definition;
  checkRequesters(version.secrets, context);
  // For this call alone: what a tool has kept of an earlier one is worth nothing.
  const secrets = version.secrets.map((one) => one.handOut());
  const answer = (handle: string, args: unknown, { workspace, signal }: ToolContext) =>
    useHandle(
      handle,
      args,
      { declared: handles, effect, fetch: deps.fetch, secrets },
      { signal, ...(workspace && { workspace }) },
    );
  const use = (child: ToolChild) => child.call(input, context, { handles, secrets: handlesOf(secrets) }, answer);
  try {
    const result = await deps.children.use(found, (said) => checkSame(said, version), use);
    return handles.fetch === undefined ? result : { ...result, untrusted: true };
  } catch (error) {
    if (effect === "write" && isGatewayError(error, "unavailable") && error.effect === "unknown") {
      throw new GatewayError(`${error.message}. It may have taken effect: verify before retrying.`, {
        code: "unavailable",
        cause: error,
      });
    }
    throw error;
  }
}

function handlesOf(secrets: readonly HandedSecret[]): Readonly<Record<string, string>> {
  return Object.fromEntries(secrets.map(({ name, handle }) => [name, handle]));
}

/** A file that says something else by now is another tool: what was asked and allowed was this one. */
function checkSame(said: unknown, { found, definition }: Version): void {
  const now = readDefinition(said, found.name);
  if (JSON.stringify(now) === JSON.stringify(definition)) return;
  throw new GatewayError("the file of this tool has changed: it is there anew in the next turn. Nothing was done.", {
    code: "conflict",
    effect: "none",
  });
}
