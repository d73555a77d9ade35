/**
 * How one platform writes Markdown: what each piece of a text looks like, and how pieces are joined. `T` is what the
 * platform takes: a string for most, HTML with its plain text for some. `renderMarkdown` calls it from the inside out, so a
 * method gets its contents already written. Methods are pure and never throw.
 */
export interface Dialect<T> {
  /** Pieces of one line side by side. */
  concat(parts: readonly T[]): T;
  /** Blocks one below the other, none of them empty. The parts of a document or a quote stand apart; `isTight` ones do not. */
  stack(blocks: readonly T[], place: Place): T;
  /** Whether nothing of it would be seen; empty blocks are left out. */
  isEmpty(piece: T): boolean;

  /** Literal words: everything the platform would read as markup must be escaped. May hold line feeds. */
  text(words: string): T;
  strong(inner: T): T;
  emphasis(inner: T): T;
  strike(inner: T): T;
  /** Where there is no such method the words stay as they are. */
  underline?(inner: T): T;
  /** Where there is no such method, small letters or signs like `^` stand for it. */
  subscript?(inner: T): T;
  superscript?(inner: T): T;
  code(value: string): T;
  /** LaTeX without the signs around it. Where there is no such method it is shown as code. */
  inlineFormula?(latex: string): T;
  /** A line break the author asked for. */
  lineBreak(): T;
  link(link: Link<T>): T;
  image(image: Image): T;
  /** Points to the footnote with that label. */
  footnoteMark(label: string): T;

  heading(inner: T, depth: 1 | 2 | 3 | 4 | 5 | 6, place: Place): T;
  paragraph(inner: T, place: Place): T;
  /** `place` surrounds the quote: `place.quotes` is 0 for one inside no other. */
  quote(inner: T, place: Place): T;
  list(list: List<T>, place: Place): T;
  /** `language` is the first word after the fence: anything at all, or empty. */
  codeBlock(value: string, language: string, place: Place): T;
  /** A formula that stands by itself; as code where there is no such method. */
  formula?(latex: string, place: Place): T;
  table(table: Table<T>, place: Place): T;
  rule(place: Place): T;
  footnote(label: string, inner: T, place: Place): T;
}

/** What surrounds a block. */
export interface Place {
  /** Directly in an item of a list or in a footnote. */
  readonly isTight: boolean;
  /** How many quotes surround it. */
  readonly quotes: number;
  /** How many lists surround it. */
  readonly lists: number;
}

export interface Link<T> {
  /** Whatever the author wrote: any scheme, a relative path, nothing. */
  readonly url: string;
  /** Empty for `[](url)`. */
  readonly label: T;
  /** The label's words alone. */
  readonly words: string;
}

export interface Image {
  readonly url: string;
  readonly alt: string;
}

export interface List<T> {
  readonly isOrdered: boolean;
  /** Number of the first item. */
  readonly start: number;
  readonly items: readonly ListItem<T>[];
}

export interface ListItem<T> {
  readonly inner: T;
  /** Its number in an ordered list. */
  readonly number: number | undefined;
  /** Whether its box is ticked; undefined if it has none. */
  readonly isChecked: boolean | undefined;
}

export interface Table<T> {
  /** The header first. Rows may be shorter than the header. */
  readonly rows: readonly (readonly Cell<T>[])[];
  readonly align: readonly ("left" | "right" | "center" | null)[];
}

export interface Cell<T> {
  readonly inner: T;
  /** The cell's words alone, with the addresses of its links beside them. */
  readonly words: string;
}
