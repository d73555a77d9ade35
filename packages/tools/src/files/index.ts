import type { Tool } from "@talaria/agent";
import { editFile } from "./edit-file.ts";
import { readFile } from "./read-file.ts";
import { searchFiles } from "./search-files.ts";
import { writeFile } from "./write-file.ts";

/** Files of the session's workspace. */
export const fileTools: readonly Tool[] = [editFile, readFile, searchFiles, writeFile];
