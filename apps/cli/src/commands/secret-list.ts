import { access } from "node:fs/promises";
import { locateHome } from "../home.ts";
import { checkFile } from "../load-home.ts";
import { secretName } from "./secret.ts";

/** `talaria secret list`: what the configuration names, as `talaria secret set` calls it, or its path where that is elsewhere. No contents. */
export async function listSecrets(options: Readonly<Record<string, string | boolean | undefined>>): Promise<void> {
  const { configFile } = locateHome(options, process.env);
  const checked = await checkFile(configFile, process.env);
  const files = checked?.secretFiles ?? [];
  if (files.length === 0) return console.log("the configuration names no secret file");
  for (const file of files) {
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    console.log(`${secretName(configFile, file) ?? file}${isThere ? "" : " (missing)"}`);
  }
}
