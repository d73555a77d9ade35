import type { CallPhrases } from "@talaria/policy";

/** What people read around the facts of a call that they decide about. */
export const callPhrases: CallPhrases = {
  mayI: (what) => `**May I ${what}?**`,
  useTool: (tool) => ["use the tool ", tool],
  arguments: "Arguments",
  inFull: "In full",
  written: "Written",
  outsideWorkspace: "Outside the workspace",
  file: "File",
  to: "To",
  withSecret: "With the secret",
  secretAt: (name, hosts) => `${name}, at ${hosts}`,
  sendsAndReads: "Sends to and reads from",
  sendsTo: "Sends to",
  reads: "Reads",
  anyPort: (host) => `${host} (https and http)`,
  writtenAs: (address, written) => `${address} (written ${written})`,
  runs: "Runs",
  place: (isSandboxed, network) => `${isSandboxed ? "In the sandbox" : "Outside the sandbox"}, ${networks[network]}`,
  runsIn: (isSandboxed, network) => `${isSandboxed ? "in the sandbox" : "outside the sandbox"}, ${networks[network]}`,
  marks: {
    blanks: (count) => `${count} blanks`,
    emptyLines: (count) => `${count} empty lines`,
    notShown: (characters) => `${characters.toLocaleString("en")} characters are not shown`,
  },
  coveredArguments: (named) =>
    named === undefined
      ? " with any arguments, until untrusted content has entered"
      : `, only with ${named}, whatever else it is given`,
};

const networks = { any: "with network", hosts: "with these hosts", none: "without network" } as const;
