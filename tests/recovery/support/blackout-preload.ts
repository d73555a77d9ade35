// Loaded into a gateway before its own code, with --import: takes servers away from this one process. The file named by
// TALARIA_TEST_BLACKOUT says which: `{ "dark": [ports] }`, or `{ "lit": [ports] }` for all but these. No file: none.
import { readFileSync } from "node:fs";
import { Socket } from "node:net";

interface Blackout {
  readonly dark?: readonly number[];
  readonly lit?: readonly number[];
}

const lookMs = 50;
const file = process.env.TALARIA_TEST_BLACKOUT ?? "";
const open = new Map<Socket, number>();
const { connect } = Socket.prototype;

Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
  const port = portOf(args);
  if (port !== undefined && isDark(port)) {
    process.nextTick(() => this.destroy(failure("ECONNREFUSED", port)));
    return this;
  }
  if (port !== undefined) {
    open.set(this, port);
    this.once("close", () => open.delete(this));
  }
  return Reflect.apply(connect, this, args);
} as typeof connect;

setInterval(() => {
  for (const [socket, port] of open) if (isDark(port)) socket.destroy(failure("ECONNRESET", port));
}, lookMs).unref();

function isDark(port: number): boolean {
  const { dark, lit } = readBlackout();
  return dark?.includes(port) ?? (lit !== undefined && !lit.includes(port));
}

function readBlackout(): Blackout {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}

/** `net.connect` hands over its arguments as one array. */
function portOf([first]: readonly unknown[]): number | undefined {
  if (Array.isArray(first)) return portOf(first);
  if (typeof first === "object" && first !== null && "port" in first) return Number(first.port) || undefined;
  return typeof first === "number" ? first : undefined;
}

function failure(code: string, port: number): Error {
  return Object.assign(new Error(`connect ${code} 127.0.0.1:${port}`), { code, syscall: "connect" });
}
