import { type IncomingMessage, type OutgoingHttpHeaders, request } from "node:http";
import type { Readable } from "node:stream";
import { type ErrorCode, errorTable, GatewayError } from "@talaria/protocol";
import { z } from "zod";

const patienceMs = 20_000;
const mostBytes = 1_048_576;

const refusalSchema = z.object({ code: z.string(), error: z.string() });

/** Where a worker of the same data folder is reached. Rejects where that place is not safe. */
export type DoorPath = () => Promise<string>;

export interface WorkerRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: Readable | string;
}

/**
 * Asks the worker that serves this data folder. Resolves with the head of its answer; whoever reads it ends it. Throws
 * `unavailable`, and nothing has happened, when there is none.
 */
export async function askWorker(
  doorPath: DoorPath,
  { method, path, headers, body }: WorkerRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const socketPath = await doorPath();
  return await new Promise((resolve, reject) => {
    const asking = request({
      socketPath,
      method,
      path,
      headers: { ...headers, host: "gateway" },
      agent: false,
      signal,
    });
    asking.once("response", resolve);
    asking.once("error", (cause: NodeJS.ErrnoException) => {
      const isAbsent = cause.code === "ENOENT" || cause.code === "ECONNREFUSED";
      const text = isAbsent ? "no worker of this data folder serves this now: try again" : "the worker broke off";
      reject(new GatewayError(text, { code: "unavailable", effect: isAbsent ? "none" : "unknown", cause }));
    });
    if (body === undefined || typeof body === "string") asking.end(body);
    else {
      body.once("error", (error) => asking.destroy(error));
      body.pipe(asking);
    }
  });
}

/** The same for JSON, small and in time. What the worker refuses is thrown as it was there. */
export async function askWorkerJson(
  doorPath: DoorPath,
  method: "GET" | "POST",
  path: string,
  value: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  const ended = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  const body = value === undefined ? {} : { body: JSON.stringify(value) };
  const headers = { "content-type": "application/json" };
  const answer = await askWorker(doorPath, { method, path, headers, ...body }, ended);
  let text = "";
  for await (const chunk of answer.setEncoding("utf8")) {
    text += chunk;
    if (text.length > mostBytes) throw new GatewayError("the worker said too much", { code: "internal" });
  }
  const found: unknown = JSON.parse(text);
  if (answer.statusCode === 200) return found;
  const { code, error } = refusalSchema.parse(found);
  throw new GatewayError(error, { code: code in errorTable ? (code as ErrorCode) : "internal" });
}
