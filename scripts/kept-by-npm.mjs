/**
 * What npm took for an option of its own: of `npm start --home X` the command gets `X` at most, and of `--home=X` nothing, so that it would
 * serve another data folder. The sentence that says how it is passed on; undefined: nothing was kept.
 * @param {string} task @param {string[]} words @param {Record<string, string | undefined>} env
 */
export function keptByNpm(task, words, env) {
  if (env.npm_lifecycle_event !== task) return undefined;
  const name = ["home", "config"].find((option) => env[`npm_config_${option}`] !== undefined);
  if (name === undefined) return undefined;
  const value = env[`npm_config_${name}`];
  const named = value === "true" ? (words[0] ?? `<${name === "home" ? "folder" : "file"}>`) : value;
  return `npm keeps --${name} to itself: put -- in front of it, as in npm start -- --${name} ${named}`;
}
