import assert from "node:assert/strict";
import { it } from "node:test";
import { loadConfig } from "@talaria/config";
import { trustNotes } from "./trust-notes.ts";

function noteOn(trusted: string): string {
  const servers = `
    notes: { url: "https://notes.example/mcp", reads: [find] }
    mail: { url: "https://mail.example:8443/mcp", reads: [find] }
    shop: { url: "https://shop.example/mcp" }
    here: { command: [server], reads: [find] }`;
  const text = `mcp:\n  servers:${servers}\npolicy: { trusted: [${trusted}] }\n`;
  return trustNotes(loadConfig(text, { file: "c.yaml", env: {} }).config).join("\n");
}

it("names the servers whose reads are asked about, as they would stand in policy.trusted", () => {
  assert.equal(
    noteOn(""),
    'each read is asked about once untrusted content or tools of others are there, at notes ("https://notes.example"), mail ("https://mail.example:8443"): name in policy.trusted what is your own',
  );
  assert.match(noteOn('"https://notes.example"'), /, at mail \(/);
  assert.equal(noteOn('"https://notes.example/mcp", "https://mail.example:8443"'), "");
});
