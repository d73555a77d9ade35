import type { AdapterDeps, AdapterStore, MediaSource, PlatformWords } from "@talaria/adapter";
import { type AccountId, brandAs, type Clock, GatewayError, silentLog, systemClock } from "@talaria/protocol";
import { sampleFile } from "./conformance/conformance-test.ts";

export interface DepsFacts extends Partial<AdapterDeps> {
  /** Outgoing files by ref; the conformance suite's sample unless told otherwise. */
  readonly files?: Readonly<Record<string, Uint8Array>>;
}

/** What an adapter under test may reach: an empty memory, the given files, short waits, no proxy. */
export function adapterDeps({ files = { [sampleFile.ref]: sampleFile.bytes }, ...facts }: DepsFacts = {}): AdapterDeps {
  return {
    id: brandAs<AccountId>("account"),
    log: silentLog,
    store: memoryStore(),
    media: mediaOf(files),
    clock: hurriedClock,
    commands: [
      { name: "help", description: "what I understand" },
      { name: "stop", description: "stop what I am doing" },
    ],
    wordsIn,
    countUnreadable: () => undefined,
    catchUpMs: 24 * 60 * 60_000,
    ...facts,
  };
}

/** What an adapter under test says. Whoever reads another language than English sees which it is. */
function wordsIn(language = "en"): PlatformWords {
  const say = (text: string) => (language.startsWith("en") ? text : `${language}: ${text}`);
  return {
    buttonNotForYou: say("This button is not for you."),
    commandNotForYou: say("This command is not for you."),
    answeredAlready: (label = "") => say(`This was answered already${label === "" ? "." : `: ${label}`}`),
    promptsTitle: say("How can I help?"),
    prompts: [{ title: say("Help me"), message: say("Help me.") }],
  };
}

/** Waits between attempts are shortened, so that a test of many attempts ends soon; waits of a minute or more are kept. */
export const hurriedClock: Clock = {
  now: systemClock.now,
  elapsed: systemClock.elapsed,
  sleep: (ms, signal) => systemClock.sleep(ms < 50_000 ? Math.min(ms, 10) : ms, signal),
};

/** What an adapter remembers, kept for as long as a test needs it. */
export function memoryStore(): AdapterStore & { readonly values: Map<string, string> } {
  const values = new Map<string, string>();
  return {
    values,
    read: async (name) => values.get(name),
    write: async (name, value) => void values.set(name, value),
    remove: async (name) => void values.delete(name),
  };
}

function mediaOf(files: Readonly<Record<string, Uint8Array>>): MediaSource {
  return {
    open: async (ref) => {
      const bytes = files[ref];
      if (bytes === undefined) throw new GatewayError("no such file", { code: "not_found" });
      return new Blob([Buffer.from(bytes)]).stream();
    },
  };
}
