/** Characters of somebody's words in a text of ours, and of a title. */
export const longestTitle = 80;

/** Controls, tags, and what turns the direction of a text around; not what joins letters and emoji. */
const invisible = /(?!\u200c|\u200d|\ufe0f)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;
const markup = /[\\`*_~[\]<>&#|!@]/g;

/** Somebody's words as one line without anything invisible, cut at the end. */
export function plainLine(text: string, most: number): string {
  const line = [...text.replace(/\s/g, " ").replace(invisible, "").replace(/ +/g, " ").trim()];
  return line.length <= most
    ? line.join("")
    : `${line
        .slice(0, most - 1)
        .join("")
        .trimEnd()}…`;
}

/** Somebody's words in a text of ours: a quote in one line, of which nothing is markup. */
export function quoted(text: string, most = longestTitle): string {
  return `“${plainLine(text, most).replace(markup, "\\$&")}”`;
}
