import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isLinkLocal } from "./link-local.ts";
import { webhookSchema } from "./schema/webhook-schema.ts";

const closed = [
  "http://169.254.169.254/latest",
  "http://2852039166/",
  "http://0xa9.0xfe.0xa9.0xfe/",
  "http://[::ffff:169.254.169.254]/",
  "http://[fe80::1]:8080/",
  "http://[fd00:ec2::254]/",
  "http://100.100.100.200/",
  "http://METADATA.google.internal./computeMetadata",
];
const open = [
  "https://example.org/hook",
  "http://127.0.0.1:9000/",
  "http://10.0.0.5/",
  "http://[fd00::1]/",
  "http://169.253.0.1/",
];

describe("an address of a callback", () => {
  for (const url of closed) it(`is link-local or serves metadata: ${url}`, () => assert.equal(isLinkLocal(url), true));
  for (const url of open) it(`may be called: ${url}`, () => assert.equal(isLinkLocal(url), false));

  it("that is link-local is refused unless the route allows it", () => {
    const secret = "Jq7xWm2kPz9vRt4cYb8n";
    const route = { scheme: "hmac", secret, prompt: "p", callbackUrl: "http://169.254.169.254/latest" };
    const { error } = webhookSchema.safeParse(route);
    assert.deepEqual(
      error?.issues.map(({ path, message }) => [path.join("."), /unsafe_link_local_callback/.test(message)]),
      [["callbackUrl", true]],
    );
    assert.equal(webhookSchema.safeParse({ ...route, unsafe_link_local_callback: true }).success, true);
  });
});
