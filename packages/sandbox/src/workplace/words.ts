import type { SelfTest } from "../self-test.ts";
import type { Remedy } from "./lacking.ts";

/** What the agent has to act with, as it was tried on this machine. */
export interface Tried {
  /** `untried`: that costs something, and waits until somebody needs it. */
  readonly commands: SelfTest | "off" | "untried";
  readonly browser: SelfTest | "off" | "untried";
  /** Of this machine, where files of conversations lie. Absent: they lie elsewhere. */
  readonly folder?: string | undefined;
}

/** Whether all that is switched on works, in a line for the operator that says so, and what to do if not. */
export interface Workplace {
  readonly works: boolean;
  readonly line: string;
  /** What is switched on and doesn't work, by the key that switches it on, each with its reason and remedy. */
  readonly lacking: readonly { readonly key: string; readonly reason: string }[];
}

/** `commands and files work (bubblewrap, as uid 1000; files in /x); no browser: there is no Chromium ...; run: ...` */
export function workplaceOf({ commands, browser, folder }: Tried): Workplace {
  const works = [commands, browser].every((one) => typeof one === "string" || one.isUsable);
  const lacking = [
    ...(isTrouble(commands) ? [{ key: "sandbox.backend", reason: troubleWords(commands) }] : []),
    ...(isTrouble(browser) ? [{ key: "browser.enabled", reason: troubleWords(browser) }] : []),
  ];
  if (isTrouble(commands) && isTrouble(browser) && troubleWords(commands) === troubleWords(browser))
    return { works, lacking, line: `no commands, files or browser: ${troubleWords(commands)}` };
  const place = folder === undefined ? "" : `; files in ${folder}`;
  const first = partWords(commands, "commands and files", ({ description }) => `work (${description}${place})`);
  return { works, lacking, line: `${first}; ${partWords(browser, "browser", () => "works")}`.replace(/\s+/g, " ") };
}

/** `bwrap is missing; run: ...`, on one line. */
export function troubleWords({ reasons, remedy }: Pick<SelfTest, "reasons" | "remedy">): string {
  return [...reasons, ...(remedy === undefined ? [] : [remedyWords(remedy)])].join("; ").replace(/\s+/g, " ");
}

function isTrouble(one: Tried["commands"]): one is SelfTest {
  return typeof one !== "string" && !one.isUsable;
}

function partWords(one: Tried["commands"], name: string, fine: (state: SelfTest) => string): string {
  if (one === "off") return `${name} off`;
  if (one === "untried") return `${name} not tried yet`;
  return one.isUsable ? `${name} ${fine(one)}` : `no ${name}: ${troubleWords(one)}`;
}

/** `run: apt-get install -y bubblewrap`: what follows a reason and a semicolon. */
function remedyWords({ kind, text }: Remedy): string {
  switch (kind) {
    case "command":
      return `run: ${text}`;
    case "container":
      return `start the container with: ${text}`;
    case "setting":
      return `put into the configuration: ${text}`;
    default:
      return kind satisfies never;
  }
}
