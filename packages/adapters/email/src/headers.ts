export interface HeaderField {
  /** In small letters. */
  readonly name: string;
  /** Unfolded, without white space at the ends. */
  readonly value: string;
}

/** No honest mail has more. */
const maxFields = 2_000;

/** The fields of a mail in the order they stand, the receiving server's on top. */
export class Headers {
  readonly fields: readonly HeaderField[];

  constructor(fields: readonly HeaderField[]) {
    this.fields = fields;
  }

  /** Reads the bytes before the empty line. What is no field is left out. */
  static parse(bytes: Uint8Array): Headers {
    const text = new TextDecoder().decode(bytes);
    const end = /\r?\n\r?\n/.exec(text)?.index ?? text.length;
    const lines = text
      .slice(0, end)
      .replace(/\r?\n(?=[ \t])/g, "")
      .split(/\r?\n/, maxFields);
    return new Headers(
      lines.flatMap((line) => {
        const [, name, value = ""] = /^([!-9;-~]{1,100})[ \t]*:([\s\S]*)$/.exec(line) ?? [];
        return name === undefined ? [] : [{ name: name.toLowerCase(), value: value.trim() }];
      }),
    );
  }

  all(name: string): readonly string[] {
    return this.fields.filter((field) => field.name === name).map(({ value }) => value);
  }

  /** The topmost one, or an empty text. */
  first(name: string): string {
    return this.fields.find((field) => field.name === name)?.value ?? "";
  }
}
