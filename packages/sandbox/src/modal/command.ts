import { constants } from "node:os";
import { PassThrough } from "node:stream";
import type { ContainerProcess } from "modal";
import type { RemoteCommand, RemoteEnd } from "../remote/remote-machine.ts";
import { inputBy, written } from "../remote/remote-stream.ts";

const maxComplaint = 1_000;

/** A process of a sandbox whose streams have been read by nobody. */
export function toRemoteCommand(process: ContainerProcess<Uint8Array>, stderr?: "apart"): RemoteCommand {
  const over = new AbortController();
  const output = new PassThrough();
  const errors = stderr === "apart" ? new PassThrough() : undefined;
  let complaint = "";
  const complain = async (bytes: Uint8Array) => {
    if (errors !== undefined) await written(errors, bytes);
    else if (complaint.length < maxComplaint) complaint += Buffer.from(bytes).toString();
  };
  const all = Promise.all([
    // Beneath the SDK's `wait`, which asks for ever where a sandbox can't be reached.
    process._wait(over.signal),
    readAll(process.stdout, (bytes) => written(output, bytes), over.signal),
    readAll(process.stderr, complain, over.signal),
  ]);
  const closed = new Promise<undefined>((resolve) => {
    over.signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  const end = all.then(
    ([code]) => toEnd(code),
    // The connection was lost, or closed by us.
    () => undefined,
  );
  const writer = process.stdin.getWriter();
  // What fails there has failed for whoever wrote.
  writer.closed.catch(() => undefined);
  const stdin = inputBy(
    (bytes) => writer.write(bytes),
    () => writer.close(),
  );
  const ended = Promise.race([end, closed]).finally(() => {
    stdin.destroy();
    output.end();
    errors?.end();
  });
  return {
    stdin,
    output,
    ...(errors && { errors }),
    complaint: () => complaint,
    ended,
    close: () => over.abort(),
  };
}

async function readAll(
  stream: ReadableStream<Uint8Array>,
  take: (bytes: Uint8Array) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const reader = stream.getReader();
  signal.addEventListener("abort", () => void reader.cancel().catch(() => undefined), { once: true });
  for (let next = await reader.read(); !next.done; next = await reader.read()) await take(next.value);
}

/** The SDK tells a signal as 128 and its number, as a shell does. */
function toEnd(code: number): RemoteEnd {
  const [signal] = Object.entries(constants.signals).find(([, number]) => number === code - 128) ?? [];
  return signal === undefined ? { code } : { signal };
}
