import { realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { GatewayError } from "@talaria/protocol";

/** The program itself: `/usr/bin/chromium` of Debian is a script that reads settings which a cell doesn't show. */
const debianProgram = "/usr/lib/chromium/chromium";
const debianScript = "/usr/bin/chromium";

export interface Chromium {
  readonly executable: string;
  /** Folders that a cell has to show besides `/usr`. */
  readonly readable: readonly string[];
}

/** Debian's Chromium, or the one at the given path. Throws `unsupported`, with the remedy, where there is none. */
export async function findChromium(given?: string): Promise<Chromium> {
  const wanted = given === undefined || given === debianScript ? debianProgram : given;
  const found = await stat(wanted).catch(() => undefined);
  if (!found?.isFile()) {
    const remedy =
      given === undefined ? "install the package chromium, or set browser.executable" : "check browser.executable";
    throw new GatewayError(`there is no Chromium at ${wanted}; ${remedy}`, { code: "unsupported" });
  }
  const executable = await realpath(wanted);
  return { executable, readable: executable.startsWith("/usr/") ? [] : [dirname(executable)] };
}

/**
 * What runs in the cell. Playwright's pipe is the program's own input and output (3 and 4 are the descriptors of
 * `--remote-debugging-pipe`): no port, and no socket that another program could find.
 *
 * `--no-sandbox`: Chromium's own sandbox needs user namespaces, which are refused inside a cell, or a program with set-uid root. The
 * cell is the boundary. It holds no file but the browser's own, and its network is the guarded proxy alone.
 */
export function chromiumCommand(executable: string, proxyPort: number): readonly string[] {
  return [
    ...["/bin/sh", "-c", 'exec "$@" 3<&0 4>&1 0</dev/null 1>/dev/null 2>&1', "sh", executable],
    ...["--headless", "--no-sandbox", "--remote-debugging-pipe", "--user-data-dir=/tmp/profile"],
    // Without the last, addresses of the own machine would not go through the proxy, which refuses them.
    ...[`--proxy-server=http://127.0.0.1:${proxyPort}`, "--proxy-bypass-list=<-loopback>"],
    // Shared memory of a cell is small, and there is no graphics device in it.
    ...["--disable-dev-shm-usage", "--disable-gpu", "--mute-audio", "--hide-scrollbars"],
    ...["--no-first-run", "--no-default-browser-check", "--disable-search-engine-choice-screen"],
    ...["--password-store=basic", "--disable-breakpad", "--disable-extensions", "--disable-sync"],
    // Nothing is asked for that no page asked for.
    ...["--disable-background-networking", "--disable-component-update", "--disable-default-apps"],
    ...["--disable-domain-reliability", "--disable-field-trial-config", "--metrics-recording-only"],
    `--disable-features=${idleFeatures.join(",")}`,
    "about:blank",
  ];
}

const idleFeatures = [
  "AimEnabled",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PreconnectToSearch",
  "Translate",
];
