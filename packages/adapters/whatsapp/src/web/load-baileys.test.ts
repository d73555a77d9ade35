import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A process that finds everything but Baileys, as in an image that was built without it. */
const script = `
  import { registerHooks } from "node:module";
  registerHooks({
    resolve(specifier, context, next) {
      return next(specifier === "@whiskeysockets/baileys" ? "@whiskeysockets/not-installed" : specifier, context);
    },
  });
  const { loadBaileys } = await import(${JSON.stringify(new URL("./load-baileys.ts", import.meta.url).href)});
  const error = await loadBaileys().catch((error) => error);
  console.log(JSON.stringify({ code: error.code, message: error.message, hint: error.details.hint }));
`;

describe("an installation without WhatsApp Web", () => {
  it("says so, and what the operator can do", async () => {
    const cwd = fileURLToPath(new URL(".", import.meta.url));
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd });
    const { code, message, hint } = JSON.parse(stdout);
    assert.equal(code, "invalid_request");
    assert.match(message, /^whatsapp web can't be used: this installation has no WhatsApp Web/);
    assert.match(hint, /mode: cloud.*--build-arg WHATSAPP_WEB=yes/);
  });
});
