/** The commands that a text may become, while it is the beginning of one. */
export function commandsFor(text, commands) {
  const [, begun] = /^\/([a-z]*)$/.exec(text) ?? [];
  if (begun === undefined) return [];
  return commands.filter(({ name }) => name.startsWith(begun));
}

/**
 * What a key does to the menu: `{ chosen }`, a command to write down, or `{ at }`, the place that is marked now. Undefined: the key means
 * what it means without a menu, as Enter does for a text that nobody has chosen anything for.
 */
export function keyInMenu(key, found, at) {
  if (found.length === 0) return undefined;
  switch (key) {
    case "ArrowDown":
      return { at: at === undefined ? 0 : (at + 1) % found.length };
    case "ArrowUp":
      return { at: at === undefined ? found.length - 1 : (at + found.length - 1) % found.length };
    case "Tab":
      return { chosen: found[at ?? 0] };
    case "Enter":
      return at === undefined ? undefined : { chosen: found[at] };
    default:
      return undefined;
  }
}
