/**
 * Writes `docs/building/prompts.md`: what the model reads with the first message of a conversation, made by the code that makes it for real,
 * and how many tokens that is. `scripts/generate-schema.ts` writes it too, and checks it.
 */
import { writeFileSync } from "node:fs";
import { promptsPage } from "./prompts/page.ts";

writeFileSync(new URL("../docs/building/prompts.md", import.meta.url), await promptsPage());
console.log("wrote docs/building/prompts.md");
