/** They hold nothing and have no end tag. */
export const voids = names("area base br col embed hr img input link meta param source track wbr");

/** Their content is no text that people read. */
export const unread = names("head iframe noembed noframes noscript object script style svg template title");

/** They begin and end a line. */
export const blocks = names(
  "address article aside blockquote center dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tbody tfoot thead tr ul",
);

/** A blank line stands around them. */
export const spaced = names("blockquote h1 h2 h3 h4 h5 h6 ol p pre table ul");

const containers = names("body button caption details figure html td th");

/** Elements whose end is often left out: each ends when one of the others begins right inside of it. */
const impliedEnds: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["p", blocks],
  ["li", names("li")],
  ["dt", names("dd dt")],
  ["dd", names("dd dt")],
  ["td", names("td th tr tbody tfoot")],
  ["th", names("td th tr tbody tfoot")],
  ["tr", names("tr tbody tfoot")],
  ["a", names("a")],
  ["option", names("option")],
  ["head", new Set([...blocks, "body"])],
]);

/** Whether `open` ends because `next` begins. */
export function endsBefore(open: string, next: string): boolean {
  return impliedEnds.get(open)?.has(next) ?? false;
}

/** Whether this is a block, or holds blocks. Only the end tag of such an element may end others of them. */
export function endsBlocks(name: string): boolean {
  return blocks.has(name) || containers.has(name);
}

function names(list: string): ReadonlySet<string> {
  return new Set(list.split(" "));
}
