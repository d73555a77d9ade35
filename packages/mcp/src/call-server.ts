import type { Client, Progress } from "@modelcontextprotocol/client";
import type { ToolContext, ToolResult } from "@talaria/agent";
import { GatewayError } from "@talaria/protocol";
import { z } from "zod";
import { toToolResult } from "./call-result.ts";
import { type AskingCalls, type Elicited, mostAskedMs } from "./elicitation/asking-calls.ts";
import { brokenOff } from "./http-transport.ts";
import { tooLargeText } from "./limits.ts";
import { defaultCallTimeoutMs, type McpServerConfig } from "./mcp-config.ts";
import type { McpTool } from "./mcp-tool.ts";
import { label, markedResult } from "./untrusted.ts";

const progressPauseMs = 1_000;

export interface LiveServer {
  readonly client: Client;
  readonly config: McpServerConfig;
  /** Absent: nobody answers what the server asks meanwhile. */
  readonly asking: AskingCalls | undefined;
  /** Why the connection is over, where that is known. */
  reason(): string | undefined;
  /** Called when a failure says that the connection is of no use any more. */
  onLost(reason: string): void;
  /** Called when the login lacks a scope. Says what to do about it. */
  onScopeMissing(scope: string | undefined): Promise<string | undefined>;
}

/**
 * Calls a tool of a connected server, once. Throws `GatewayError`; its message is what the model reads, and says so wherever
 * the call may have taken effect.
 */
export async function callServer(
  tool: McpTool,
  input: unknown,
  context: ToolContext,
  { client, config, asking, reason, onLost, onScopeMissing }: LiveServer,
): Promise<ToolResult> {
  const { server, nameThere, headerSchema } = tool;
  // The agent's own limit, which stands still while people are asked, ends the call first and says so in its words.
  const timeout = (config.timeoutMs ?? defaultCallTimeoutMs) + 1_000 + (asking === undefined ? 0 : mostAskedMs);
  const call = async () =>
    await client.callTool(
      { name: nameThere, arguments: input as Record<string, unknown> },
      {
        signal: context.signal,
        timeout,
        maxTotalTimeout: timeout,
        onprogress: shownProgress(context),
        // Without this the SDK asks its own copy of the list what the result has to look like.
        toolDefinition: { name: nameThere, inputSchema: headerSchema ?? { type: "object" } },
      },
    );
  const declined: string[] = [];
  try {
    const result = await (asking === undefined ? call() : asking.during(tool, context, call, declined));
    const settings = { server, tool: nameThere, attachFiles: config.attachFiles ?? true };
    return withDeclined(await toToolResult(result, settings, context), declined);
  } catch (error) {
    if (error instanceof GatewayError) throw declinedError(error, declined);
    context.signal.throwIfAborted();
    const pages = asking === undefined ? [] : pagesIn(error);
    if (asking !== undefined && pages.length > 0) throw await afterPages(tool, context, pages, asking);
    if ((error as Error).name === "InsufficientScopeError")
      throw notAllowed(tool, error, await onScopeMissing((error as { requiredScope?: string }).requiredScope));
    const { failure, isLost } = tooLarge(error, tool, reason()) ?? failureOf(error, tool);
    if (isLost) onLost(failure.message);
    throw declinedError(failure, declined);
  }
}

/** The server was told no in their name, so people hear why from whoever reads the result. */
function declinedNote(declined: readonly string[]): string {
  return `[The server wanted to ask people something, which was declined without asking them: ${declined.join("; ")}. Tell them so.]`;
}

function withDeclined(result: ToolResult, declined: readonly string[]): ToolResult {
  return declined.length === 0 ? result : { ...result, content: `${declinedNote(declined)}\n${result.content}` };
}

function declinedError(error: GatewayError, declined: readonly string[]): GatewayError {
  if (declined.length === 0) return error;
  const { code, effect, details, retryAfterMs } = error;
  return new GatewayError(`${declinedNote(declined)}\n${error.message}`, {
    ...{ code, effect, details, cause: error },
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** `URLElicitationRequiredError` of MCP 2025-11-25: pages that a person has to open before the call can be made. */
function pagesIn(error: unknown): readonly Elicited[] {
  const { code, data } = error as { readonly code?: unknown; readonly data?: { readonly elicitations?: unknown } };
  if (code !== urlElicitationRequired) return [];
  return pagesSchema.safeParse(data?.elicitations).data ?? [];
}

const urlElicitationRequired = -32_042;
const pagesSchema = z.array(z.object({ mode: z.literal("url"), message: z.string(), url: z.string() })).max(3);

async function afterPages(
  tool: McpTool,
  context: ToolContext,
  pages: readonly Elicited[],
  asking: AskingCalls,
): Promise<GatewayError> {
  const isAgreed = await asking.during(tool, context, async () => {
    for (const page of pages) if ((await asking.answer(page, context.signal)).action !== "accept") return false;
    return true;
  });
  const what = isAgreed
    ? "Somebody has agreed to open the page that it needs first: make the call again once they say that they are done."
    : "It needs a page to be opened first, and nobody has agreed to that.";
  const text = `The MCP server "${tool.server}" did nothing yet. ${what}`;
  return new GatewayError(text, { code: "unavailable", effect: "none" });
}

/** A server may report as often as it likes; people see a line now and then. */
function shownProgress(context: ToolContext): (progress: Progress) => void {
  let shownAt = Number.NEGATIVE_INFINITY;
  return ({ progress, total, message }) => {
    const now = context.now();
    if (now - shownAt < progressPauseMs) return;
    shownAt = now;
    const count = total === undefined ? String(progress) : `${progress}/${total}`;
    context.progress(message === undefined ? count : label(message));
  };
}

function notAllowed({ server }: McpTool, cause: unknown, shortage: string | undefined): GatewayError {
  const why = shortage === undefined ? "" : ` (${shortage})`;
  return new GatewayError(
    `The MCP server "${server}" does not allow this to the account that is logged in${why}. Nothing was done.`,
    { code: "unavailable", cause, effect: "none" },
  );
}

interface Failure {
  readonly failure: GatewayError;
  readonly isLost: boolean;
}

/** Over pipes the server is gone with it, which is noticed there; over HTTP nothing but this answer is. */
function tooLarge(error: unknown, { server, effect }: McpTool, reason = ""): Failure | undefined {
  const isTooLarge = reason.startsWith(tooLargeText) || messagesOf(error).some((text) => text.includes(tooLargeText));
  if (!isTooLarge) return undefined;
  const maybe = effect === "write" ? " The call may have taken effect: verify before retrying." : "";
  const text = `The result is too large: the MCP server "${server}" was cut off, since ${tooLargeText}. Ask for less.${maybe}`;
  return { failure: new GatewayError(text, { code: "too_large", cause: error, effect: "unknown" }), isLost: false };
}

function messagesOf(error: unknown): readonly string[] {
  const found: string[] = [];
  for (let one = error; one instanceof Error && found.length < 5; one = one.cause) found.push(one.message);
  return found;
}

function failureOf(error: unknown, { server, nameThere, effect }: McpTool): Failure {
  const { code, name, message, data } = error as {
    code?: unknown;
    name?: string;
    message?: string;
    data?: { status?: unknown };
  };
  const maybe = effect === "write" ? " It may have taken effect: verify before retrying." : "";
  const call = `The MCP server "${server}"`;
  const as = (text: string, more: { isLost?: boolean; effect?: "none" } = {}): Failure => ({
    failure: new GatewayError(text, {
      code: "unavailable",
      cause: error,
      ...(more.effect === undefined ? {} : { effect: more.effect }),
    }),
    isLost: more.isLost ?? false,
  });
  if (code === brokenOff) return as(`${call} broke its answer off.${maybe}`);
  if (typeof code === "number") {
    const failure = new GatewayError(markedResult(server, `${nameThere} failed: ${message ?? code}`), {
      code: "invalid_request",
      cause: error,
    });
    return { failure, isLost: false };
  }
  if (name === "UnauthorizedError" || name === "LoginNeeded" || data?.status === 401) {
    return as(`${call} wants a login first. Nothing was done.`, { isLost: true, effect: "none" });
  }
  if (data?.status === 404) {
    return as(`${call} has begun anew and no longer knows the connection. Nothing was done: try again.`, {
      isLost: true,
      effect: "none",
    });
  }
  // To servers of the old era, a connection of before their restart is a bad request.
  if (typeof data?.status === "number" && data.status !== 400) {
    return as(`${call} answered with HTTP status ${data.status}.${maybe}`);
  }
  switch (code) {
    case "REQUEST_TIMEOUT":
      return as(`${call} did not answer in time.${maybe}`);
    case "UNSUPPORTED_RESULT_TYPE":
    case "INPUT_REQUIRED_ROUNDS_EXCEEDED":
    case "CAPABILITY_NOT_SUPPORTED":
      return as(`${call} asks for something in the middle of the call that nobody answers here. It was not finished.`);
    case "INVALID_RESULT":
      return as(`${call} gave a result that can't be read.${maybe}`);
    default:
      return as(`The connection to the MCP server "${server}" was lost in the middle of the call.${maybe}`, {
        isLost: true,
      });
  }
}
