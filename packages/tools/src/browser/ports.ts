import type { Server } from "node:net";
import type { Readable, Writable } from "node:stream";

/** Where browsers run: `packages/sandbox` has such cells. */
export interface BrowserCells {
  /** A new one, whose only network is a port that leads to `door`, which doesn't listen yet. Throws `unsupported` or `unavailable`. */
  open(door: Server): Promise<BrowserCell>;
}

export interface BrowserCell {
  /** On 127.0.0.1 inside, where `door` answers. */
  readonly port: number;
  launch(argv: readonly string[]): Promise<BrowserProgram>;
  /** Kills what runs and deletes what it wrote. May be called again. */
  close(): Promise<void>;
}

export interface BrowserProgram {
  readonly stdin: Writable;
  readonly output: Readable;
  /** Never rejects. `reason`: why it was ended from outside. */
  readonly ended: Promise<{ readonly reason?: string }>;
  kill(reason?: string): Promise<void>;
}
