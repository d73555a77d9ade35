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

const told = "from the first message on somebody is asked before anything goes out, where the model has the tools of ";

it("names the servers whose tools make what goes out be asked about, and whose reads are, as they would stand in policy.trusted", () => {
  assert.deepEqual(noteOn("").split("\n"), [
    `${told}notes ("https://notes.example"), mail ("https://mail.example:8443"), shop ("https://shop.example"), here, which strangers may have described: name in policy.trusted what is your own`,
    'each read is asked about once untrusted content or tools of others are there, at notes ("https://notes.example"), mail ("https://mail.example:8443"): name in policy.trusted what is your own',
  ]);
  assert.match(noteOn('"https://notes.example"'), /, at mail \(/);
  assert.equal(
    noteOn('"https://notes.example/mcp", "https://mail.example:8443", "https://shop.example"'),
    `${told}here, which strangers may have described`,
  );
  assert.deepEqual(trustNotes(loadConfig("{}", { file: "c.yaml", env: {} }).config), []);
});
