import { fileURLToPath } from "node:url";

/** Ten skills that come with Talaria. None of them is in use before somebody puts it into the data folder and accepts it. */
export const starterFolder = fileURLToPath(new URL("../starter", import.meta.url));
