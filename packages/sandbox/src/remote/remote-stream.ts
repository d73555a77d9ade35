import { type PassThrough, Writable } from "node:stream";

/** Input goes in requests of this size. */
const maxInputBytes = 512 * 1024;

/** Resolves when more fits. Nobody reads on when it is closed. */
export async function written(output: PassThrough, bytes: Uint8Array): Promise<void> {
  if (output.write(bytes)) return;
  await new Promise<void>((resolve) => {
    const events = ["drain", "close", "error"];
    const done = () => {
      for (const event of events) output.off(event, done);
      resolve();
    };
    for (const event of events) output.on(event, done);
  });
}

/** The input of a process that takes it by requests. A process that has ended takes none, which is no error. */
export function inputBy(send: (bytes: Uint8Array) => Promise<void>, close: () => Promise<void>): Writable {
  const sendAll = async (bytes: Buffer) => {
    for (let at = 0; at < bytes.length; at += maxInputBytes) await send(bytes.subarray(at, at + maxInputBytes));
  };
  const input = new Writable({
    write: (bytes: Buffer, _, done) => {
      sendAll(bytes).then(() => done(), done);
    },
    final: (done) => {
      close().then(() => done(), done);
    },
  });
  return input.on("error", () => undefined);
}
