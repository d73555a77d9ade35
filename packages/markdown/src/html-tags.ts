import { decoded } from "./character-references.ts";

/** What a tag of HTML means in a message. */
export type TagMeaning =
  | "strong"
  | "emphasis"
  | "delete"
  | "underline"
  | "subscript"
  | "superscript"
  | "code"
  | "link"
  | "title"
  | "break"
  | "picture"
  | "item"
  | "cell"
  | "block"
  | "paragraph"
  | "nothing";

const meanings: Readonly<Record<TagMeaning, string>> = {
  strong: "b strong",
  emphasis: "i em cite dfn var",
  delete: "s del strike",
  underline: "u ins",
  subscript: "sub",
  superscript: "sup",
  code: "code kbd samp tt pre",
  link: "a",
  title: "summary h1 h2 h3 h4 h5 h6 caption",
  break: "br hr",
  picture: "img",
  item: "li",
  cell: "td th",
  block: "details div section article header footer main nav aside figure figcaption center ul ol dl dt dd table tr",
  paragraph: "p blockquote",
  nothing: "span font small big mark abbr q wbr thead tbody tfoot colgroup col",
};

const named = Object.entries(meanings) as [TagMeaning, string][];
const meaningOf = new Map<string, TagMeaning>(
  named.flatMap(([meaning, names]) => names.split(" ").map((name): [string, TagMeaning] => [name, meaning])),
);

/** Meanings of tags that stand around something. One without its other half is a word, such as the type in `List<b>`. */
export const pairs: ReadonlySet<TagMeaning> = new Set([
  "strong",
  "emphasis",
  "delete",
  "underline",
  "subscript",
  "superscript",
  "code",
  "link",
  "title",
]);

export interface Tag {
  readonly name: string;
  readonly meaning: TagMeaning;
  readonly isClosing: boolean;
}

/** A tag of HTML as a parser of Markdown found it. Undefined for everything else, such as the `<T>` of a type. */
export function tagOf(html: string): Tag | undefined {
  const [, slash, name = ""] = tagPattern.exec(html) ?? [];
  const meaning = meaningOf.get(name.toLowerCase());
  return meaning === undefined ? undefined : { name: name.toLowerCase(), meaning, isClosing: slash === "/" };
}

/** Attributes have values: `<p and q>` is a comparison. */
const tagPattern = /^<(\/?)([a-z][a-z0-9]*)(?:\s+(?:open|[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+)))*\s*\/?>$/i;

/** The value of an attribute; empty where the tag has none. */
export function attributeOf(html: string, name: "href" | "src" | "alt"): string {
  for (const [, key, double, single, bare] of html.matchAll(
    /\s([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))/gi,
  ))
    if (key?.toLowerCase() === name) return decoded(double ?? single ?? bare ?? "").trim();
  return "";
}
