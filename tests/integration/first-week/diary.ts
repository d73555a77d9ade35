interface Entry {
  readonly station: string;
  readonly happened: string;
  readonly lines: string[];
}

const longest = 160;

/** The week as people and the operator live it: for each station who read what, what was typed, and what that said. */
export class Diary {
  readonly #entries: Entry[] = [];
  readonly #began = performance.now();

  /** From now on, everything belongs to this station. */
  begin(station: string, happened: string): void {
    const seconds = Math.round((performance.now() - this.#began) / 1_000);
    this.#entries.push({ station, happened: `${happened} (at ${seconds} s)`, lines: [] });
  }

  /** The station that is being lived, for messages of failure. */
  get station(): string {
    return this.#entries.at(-1)?.station ?? "before the week";
  }

  read(who: string, texts: readonly string[]): void {
    for (const text of texts) this.#write(who, text);
    if (texts.length === 0) this.#write(who, "(nothing)");
  }

  typed(command: string, said: string): void {
    this.#write(`$ ${command}`, said);
  }

  /** One line for each thing, in columns. */
  lines(): readonly string[] {
    return this.#entries.flatMap(({ station, happened, lines }) => [`${station}: ${happened}`, ...lines]);
  }

  #write(who: string, text: string): void {
    const line = text.replace(/\s+/g, " ").trim();
    this.#entries
      .at(-1)
      ?.lines.push(`  ${who.padEnd(18)} ${line.length > longest ? `${line.slice(0, longest)}…` : line}`);
  }
}
