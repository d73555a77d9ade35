import { typedWord } from "./commands/place-words.ts";
import { locateHome } from "./home.ts";

/** The command that starts what is in a data folder: `npm start` starts the default one. */
export function startCommand(dir: string): string {
  return dir === locateHome({}, {}).dir ? "npm start" : `talaria start --home ${typedWord(dir)}`;
}
