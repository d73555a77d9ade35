import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type MailServer, startMailServer } from "@talaria/adapter-email/emulator";
import type { MailReport, MailTask } from "./hostile-mail-process.ts";
import type { Figure } from "./main.ts";

const processFile = fileURLToPath(new URL("hostile-mail-process.ts", import.meta.url));
const eve = "Eve <eve@people.test>";
const textBytes = 256 * 1024;
/** Each was slow once, or is the dearest there is now. */
const pieces = ["<a ", "<li>", '<a href="https://a.test">x</a>', "<p a b ", "<"];

/**
 * How late the event loop of a process with a mailbox is while it takes one mail of five texts of 256 KiB of hostile HTML:
 * from a stranger, of whom only the header is fetched, and from somebody who may be heard.
 */
export async function hostileMail(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const isAllowed of [false, true]) {
    const longest = Math.min(await delayMs(isAllowed), await delayMs(isAllowed), await delayMs(isAllowed));
    const from = isAllowed ? "somebody who may be heard" : "a stranger";
    figures.push({
      measure: `event loop late, five texts of 256 KiB of hostile HTML from ${from}`,
      reach: isAllowed ? "-" : "below 50 ms",
      value: `${longest.toFixed(0)} ms at most, the best of three`,
    });
  }
  return figures;
}

async function delayMs(isAllowed: boolean): Promise<number> {
  const server = await startMailServer();
  const child = fork(processFile, { env: { ...process.env, NODE_TEST_CONTEXT: undefined } });
  try {
    child.send({ settings: server.settings, isAllowed } satisfies MailTask);
    await told(child, (report) => report.took === 0);
    // What an adapter does for the first time is compiled first.
    server.say(eve, "good morning", { html: "<p>good morning</p>" });
    await told(child, (report) => report.took === 1);
    deliver(server);
    return (await told(child, (report) => report.took === 2)).longestMs;
  } finally {
    child.kill("SIGKILL");
    await server.stop();
  }
}

function deliver(server: MailServer): void {
  const parts = pieces.map(
    (piece) => `--b\r\nContent-Type: text/html\r\n\r\n${piece.repeat(textBytes / piece.length)}\r\n`,
  );
  const head = `${server.vouchFor(eve).join("\r\n")}\r\nFrom: ${eve}\r\nMessage-ID: <hostile@people.test>`;
  server.deliver(`${head}\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${parts.join("")}--b--\r\n`);
}

async function told(child: ChildProcess, isWanted: (report: MailReport) => boolean): Promise<MailReport> {
  for (;;) {
    const [report] = (await once(child, "message", { signal: AbortSignal.timeout(60_000) })) as [MailReport];
    if (isWanted(report)) return report;
  }
}
