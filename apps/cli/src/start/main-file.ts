import { fileURLToPath } from "node:url";

/** The program itself: everything that `talaria start` runs is one of its commands. */
export const mainFile = fileURLToPath(new URL("../main.ts", import.meta.url));
