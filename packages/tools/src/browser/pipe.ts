import type { ConnectOverCDPTransport } from "playwright-core";
import type { BrowserProgram } from "./ports.ts";

const preset = { messageBytes: 32_000_000, actionBytes: 100_000_000 };

export interface BrowserPipe extends ConnectOverCDPTransport {
  /** Another action begins, which may read as much again. */
  refill(): void;
}

/**
 * Chromium's own protocol over what `--remote-debugging-pipe` uses: JSON with a NUL behind each message, as Chromium's
 * devtools_pipe_handler.cc reads and writes it. What a page can make the browser send is bounded: one that sends more is killed.
 */
export function createPipe(program: BrowserProgram, { messageBytes, actionBytes } = preset): BrowserPipe {
  let pieces: Buffer[] = [];
  let length = 0;
  let received = 0;
  let isOver = false;
  const pipe: BrowserPipe = {
    send: (message) => {
      if (program.stdin.writable) program.stdin.write(`${JSON.stringify(message)}\0`);
    },
    close: () => void program.kill(),
    refill: () => {
      received = 0;
    },
  };
  const giveUp = (reason: string) => {
    isOver = true;
    pieces = [];
    void program.kill(reason);
  };
  const take = (bytes: Buffer) => {
    pieces.push(bytes);
    const text = Buffer.concat(pieces).toString("utf8");
    pieces = [];
    length = 0;
    try {
      pipe.onmessage?.(JSON.parse(text));
    } catch {
      giveUp("it sent what is no message");
    }
  };
  program.stdin.on("error", () => undefined);
  program.output.on("data", (bytes: Buffer) => {
    received += bytes.byteLength;
    if (received > actionBytes) giveUp(`a page made it send more than ${actionBytes} bytes`);
    let from = 0;
    for (let end = bytes.indexOf(0); end >= 0 && !isOver; end = bytes.indexOf(0, from)) {
      take(bytes.subarray(from, end));
      from = end + 1;
    }
    if (isOver) return;
    pieces.push(bytes.subarray(from));
    length += bytes.byteLength - from;
    if (length > messageBytes) giveUp(`a page made it send more than ${messageBytes} bytes at once`);
  });
  void program.ended.then(({ reason }) => {
    isOver = true;
    pipe.onclose?.(reason);
  });
  return pipe;
}
