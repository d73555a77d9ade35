/** What stands in a text of others instead of what is not shown of it. One line each, without brackets. */
export interface ShownMarks {
  blanks(count: number): string;
  emptyLines(count: number): string;
  notShown(characters: number): string;
}

/** What is said around the facts of a call, in the language of whoever decides about it. Labels have no colon. */
export interface CallPhrases {
  /** Markdown. `what`: the line that says what the call does, with its names as code. */
  mayI(what: string): string;
  /** Instead of that line, where a tool has none. */
  useTool(tool: { readonly name: string }): readonly (string | { readonly name: string })[];
  readonly arguments: string;
  readonly inFull: string;
  readonly written: string;
  readonly outsideWorkspace: string;
  readonly file: string;
  readonly to: string;
  readonly withSecret: string;
  secretAt(name: string, hosts: string): string;
  readonly sendsAndReads: string;
  readonly sendsTo: string;
  readonly reads: string;
  /** What a host without a port means to a command. */
  anyPort(host: string): string;
  /** `written`: the same address as it stands in the call. */
  writtenAs(address: string, written: string): string;
  readonly runs: string;
  /** Where a command runs: above it, and behind `runs`. `hosts`: it reaches those that are named. */
  place(isSandboxed: boolean, network: "any" | "hosts" | "none"): string;
  runsIn(isSandboxed: boolean, network: "any" | "hosts" | "none"): string;
  readonly marks: ShownMarks;
  /** Behind what an agreement is for. `named`: the arguments that it is for alone, as code; absent: whatever they are. */
  coveredArguments(named?: string): string;
}
