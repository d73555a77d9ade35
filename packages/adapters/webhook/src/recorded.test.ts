import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import type { WebhookConfig } from "./config.ts";
import { requestValues } from "./inbound.ts";
import { fillPrompt } from "./prompt.ts";
import { bytesOf, routeWith } from "./testing/routes.ts";
import { eventNameOf, unwantedBecause } from "./wanted.ts";

interface Recorded {
  readonly source: string;
  readonly scheme: "github" | "gitlab";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly event: string;
  readonly dropped?: string;
  readonly prompt?: string;
}

/** The routes of the guide. */
const routes: Readonly<Record<Recorded["scheme"], Partial<WebhookConfig>>> = {
  github: {
    events: ["workflow_run"],
    when: { "body.action": ["completed"], "body.workflow_run.conclusion": ["failure", "timed_out"] },
    prompt: "A build of {{ body.repository.full_name }} ended: {{ body.workflow_run.conclusion }}.",
  },
  gitlab: {
    events: ["Pipeline Hook"],
    when: { "body.object_attributes.status": ["failed"] },
    prompt: "A pipeline of {{ body.project.path_with_namespace }} ended: {{ body.object_attributes.status }}.",
  },
};

const recorded = JSON.parse(await readFile(new URL("recorded/index.json", import.meta.url), "utf8")) as Recorded[];

describe("what senders of webhooks send", () => {
  for (const { source, scheme, headers, body, event, dropped, prompt } of recorded)
    it(`${dropped === undefined ? "starts a turn" : "is dropped"}: ${source}`, () => {
      const config = routeWith({ scheme, ...routes[scheme] });
      const sent = new Headers({ ...headers, "content-type": "application/json" });
      const values = requestValues(bytesOf(JSON.stringify(body)), sent);
      assert.equal(eventNameOf(values, config), event);
      assert.equal(unwantedBecause(values, config), dropped);
      if (prompt !== undefined) assert.equal(fillPrompt(config.prompt, values).markdown, prompt);
    });
});
