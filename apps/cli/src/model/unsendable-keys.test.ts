import assert from "node:assert/strict";
import { it } from "node:test";
import { loadConfig } from "@talaria/config";
import { faultOfKey } from "../key-text.ts";
import { unsendableKeys } from "./unsendable-keys.ts";

it("a key that no request can carry is told, with the command that replaces it", () => {
  const linesOf = (key: string) => {
    const text = "models: { main: { provider: anthropic, model: m, apiKey: { file: secrets/k } } }";
    return unsendableKeys(loadConfig(text, { file: "/x/config.yaml", env: {}, readSecret: () => key })).map(
      ({ line }) => line,
    );
  };
  for (const key of ["sk-one\nsk-two", "sk-\u001b[A", "sk-“quoted”"])
    assert.match(linesOf(key).join(), /^model main: its key can't be sent, .*`talaria secret set k`$/);
  assert.deepEqual(linesOf("sk-one\n"), [], "what a request cuts off harms nobody");
});

it("a key has no line break and no control character, unless it is one of several lines", () => {
  assert.equal(faultOfKey("sk-one\nsk-two"), "has a line break within it");
  assert.equal(faultOfKey("sk-\u001b[A"), "has a character within it that can't be typed (1b)");
  for (const fine of ["sk-one", "pass word ä", "-----BEGIN KEY-----\nx\n-----END KEY-----", '{\n\t"type": "x"\r\n}'])
    assert.equal(faultOfKey(fine), undefined, fine);
});
