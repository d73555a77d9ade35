import { surplusBars } from "./surplus-bars.js";

/** A table of which no row has more cells than the head, as the package `markdown` reads it: `marked` drops the others. */
export const tableTokenizer = {
  table(text) {
    const raw = this.rules.block.table.exec(text)?.[0];
    if (raw === undefined) return undefined;
    const [head, rule, ...rows] = raw.split("\n");
    const columns = rule
      .trim()
      .replaceAll(/^\||\|$/g, "")
      .split("|").length;
    const whole = [head, rule, ...rows.map((row) => withoutSurplus(row, columns))].join("\n");
    const token = Object.getPrototypeOf(this).table.call(this, whole);
    if (token !== undefined) token.raw = raw.slice(0, raw.length - (whole.length - token.raw.length));
    return token;
  },
};

function withoutSurplus(row, columns) {
  let text = "";
  let at = 0;
  for (const bar of surplusBars(row, columns)) {
    text += `${row.slice(at, bar)}\\`;
    at = bar;
  }
  return text + row.slice(at);
}
