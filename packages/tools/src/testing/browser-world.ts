import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolResult } from "@talaria/agent";
import { brandAs, type SessionKey, silentLog, systemClock } from "@talaria/protocol";
import { createSandbox } from "@talaria/sandbox";
import { type Browsers, type BrowsersOptions, createBrowsers } from "../browser/browsers.ts";
import { findChromium } from "../browser/chromium.ts";
import { createBrowserTools } from "../browser/index.ts";
import type { BrowserProgram } from "../browser/ports.ts";
import { call, contextOf, mediaInMemory } from "./tool-call.ts";

/** Real cells, once for all tests of a file. `variables`: those of the process. `missing`: why there are none here; never where CI is `true`. */
export async function startCells(variables: Readonly<Record<string, string | undefined>>) {
  const base = await mkdtemp(join(tmpdir(), "talaria-browser-test-"));
  await chmod(base, 0o711);
  const { executable, readable } = await findChromium(variables.TALARIA_CHROMIUM).catch((error: Error) => ({
    executable: "",
    readable: [error.message],
  }));
  const sandbox = createSandbox(
    {
      backend: "sandbox",
      folder: base,
      readable: executable === "" ? [] : readable,
      limits: { memoryMb: 2_048, processes: 1_024 },
    },
    { clock: systemClock, log: silentLog },
  );
  const { reasons } = executable === "" ? { reasons: readable } : await sandbox.start();
  return {
    missing: reasons.length > 0 && variables.CI !== "true" ? reasons.join("; ") : false,
    executable,
    sandbox,
    /** Folders of cells that are there now. */
    folders: async () => (await readdir(base)).filter((name) => name.startsWith("cell-")),
    stop: async () => {
      await sandbox.stop();
      await rm(base, { recursive: true, force: true });
    },
  } as const;
}

export type Cells = Awaited<ReturnType<typeof startCells>>;

/** A server on an address of this machine of its own. */
export async function serveAt(host: string, listener: RequestListener) {
  const server = createServer(listener);
  server.listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://${host}:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Tools with a browser that may reach 127.0.0.1 alone, as if it were the public internet. */
export function browserWorld(cells: Cells, more: Partial<BrowsersOptions> = {}) {
  const programs: BrowserProgram[] = [];
  const browsers: Browsers = createBrowsers({
    cells: {
      open: async (door) => {
        const cell = await cells.sandbox.openCell(door);
        const launch = async (argv: readonly string[]) => {
          const program = await cell.launch(argv);
          programs.push(program);
          return program;
        };
        return { ...cell, launch };
      },
    },
    executable: cells.executable,
    clock: systemClock,
    log: silentLog,
    most: 2,
    idleMs: 3_600_000,
    // A test machine may be slow.
    actionMs: 600_000,
    loadMs: 300_000,
    downloadMs: 300_000,
    guard: { permits: (address) => address === "127.0.0.1" },
    ...more,
  });
  const tools = new Map(createBrowserTools(browsers).map((tool) => [tool.name, tool]));
  const media = mediaInMemory();
  return {
    browsers,
    tools,
    media,
    /** Those that were started, in order. */
    programs,
    ask: async (name: string, input: object, session = "s", signal?: AbortSignal): Promise<ToolResult> => {
      const tool = tools.get(`browser_${name}`);
      assert.ok(tool);
      const context = contextOf({ media, sessionKey: brandAs<SessionKey>(session) });
      return await call(tool, input, signal === undefined ? context : { ...context, signal });
    },
    [Symbol.asyncDispose]: () => browsers.stop(),
  };
}

/** The reference of the line that holds the text, and what it says before. */
export function elementIn({ content }: ToolResult, text: string): { readonly ref: string; readonly element: string } {
  const line = content.split("\n").find((one) => one.includes(text) && one.includes("[ref="));
  const [, element = "", ref = ""] = /^\s*- (.*?) (?:\[[\w=]+\] )*\[ref=(\w+)\]/.exec(line ?? "") ?? [];
  assert.notEqual(ref, "", `no element with ${text} in\n${content}`);
  return { ref, element };
}
