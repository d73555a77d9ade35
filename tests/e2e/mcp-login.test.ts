import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type OAuthPeer, oauthPeer } from "../../packages/mcp/src/testing/oauth-peer.ts";
import { Installation } from "../support/installation.ts";
import { type Browser, openBrowser, skipWithoutBrowser } from "./browser.ts";
import { ConsolePage } from "./console-page.ts";

describe("a login to an MCP server in a real browser", { skip: skipWithoutBrowser }, () => {
  let peer: OAuthPeer;
  let talaria: Installation;
  let browser: Browser;

  before(async () => {
    peer = await oauthPeer({ isApart: true });
    const models = `models: { main: { provider: openai-chat, baseUrl: "http://127.0.0.1:9/v1", apiKey: none, model: m } }`;
    const config = `${models}\nmcp: { servers: { notes: { url: "${peer.url}/mcp", oauth: {} } } }`;
    talaria = await Installation.start({ database: "shared", config });
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await talaria?.remove();
    await peer?.stop();
  });

  it("asks about the origin, comes back to the console, and leaves no code in the address", async () => {
    await using console = await ConsolePage.open(browser.context, `${talaria.url}/console/#token=${talaria.token}`);
    const { page } = console;
    await page.getByText("MCP servers", { exact: true }).click();
    await page.getByRole("button", { name: "Log in to notes" }).click();
    await page.getByRole("button", { name: `Trust ${peer.issuer}`, exact: true }).click();
    const [login] = await Promise.all([
      browser.context.waitForEvent("page"),
      page.getByRole("link", { name: "Go to the login of notes" }).click(),
    ]);
    await login.getByText("Logged in to notes. You can close this page.").waitFor();
    assert.equal(login.url(), `${talaria.url}/console/login.html`);
    await page.getByText(/notes: connected, \d+ tools/).waitFor();
    await page.getByText(`mcp.servers.notes.oauth.origins: ["${peer.issuer}"]`).waitFor();
    await page.getByRole("button", { name: "Log in anew to notes" }).click();
    await page.getByRole("button", { name: `Trust ${peer.issuer}`, exact: true }).waitFor();
    assert.deepEqual(console.faults, []);
  });
});
