import { memory } from "./memory.ts";
import { recall } from "./recall.ts";

export const factTools = [memory, recall];
