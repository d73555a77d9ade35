/** `from "…"` and `import "…"`, at the beginning of a statement: what a module needs before it runs. */
const staticImport = /(\b(?:from|import)\s*)(["'])([^"'\n]+)\2/g;

/** The module with relative paths in place of the names of libraries. */
export function withPlaces(name: string, source: string, placeOf: (library: string) => string): string {
  const toRoot = "../".repeat(name.split("/").length - 1) || "./";
  return source.replaceAll(staticImport, (whole, before: string, quote: string, specifier: string) =>
    /^[./]/.test(specifier) ? whole : `${before}${quote}${toRoot}${placeOf(specifier)}${quote}`,
  );
}
