import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { inboxPathOf } from "@talaria/agent";
import { brandAs, type MediaRef } from "@talaria/protocol";
import { callTool, hold, say } from "@talaria/testkit";
import { skipWithoutPeers } from "../../packages/sandbox/src/missing-peers.fixture.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorld } from "../support/world.ts";

const files = join(import.meta.dirname, "../../packages/documents/src/testing/files");
const xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** A file that a real program has made, with the id that the model is told. */
async function document(name: string, mimeType: string) {
  const bytes = await readFile(join(files, name));
  const digest = createHash("sha256").update(bytes).digest("hex");
  const path = inboxPathOf({ ref: brandAs<MediaRef>(`sha256:${digest}`), name, mimeType });
  return { sent: { bytes, name, mimeType }, id: digest.slice(0, 12), path: path ?? "" };
}

it("answers about a PDF and a spreadsheet that came along where the agent has no workspace", async () => {
  await using world = await startWorld({
    config: (telegram) => `
sandbox: { backend: off }
accounts:
  bot: { platform: telegram, token: "${telegram.token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } }
`,
  });
  const { telegram, model, plan } = world;
  const ada = telegram.user({ first_name: "Ada" });
  const chat = telegram.privateChat(ada);
  const form = await document("form.pdf", "application/pdf");
  const sales = await document("sales.xlsx", xlsxType);
  const locked = await document("encrypted.pdf", "application/pdf");

  plan.answer("who has filled it in?", callTool("read_attachment", { id: form.id }), say("Ada Lovelace."));
  chat.sendDocument(ada, form.sent, "who has filled it in?");
  await chat.waitForBotMessage("Ada Lovelace.");
  assert.match(
    model.requests.at(-1)?.toolResults.at(-1) ?? "",
    /form\.pdf: PDF, 2 pages[\s\S]*\[field Applicant: Ada Lovelace\]/,
  );

  plan.answer("what about May?", callTool("read_attachment", { id: sales.id, page: "Sales" }), say("12.5 in May."));
  chat.sendDocument(ada, sales.sent, "what about May?");
  await chat.waitForBotMessage("12.5 in May.");
  assert.match(
    model.requests.at(-1)?.toolResults.at(-1) ?? "",
    /sheet 2: "Notes"[^\n]*hidden[\s\S]*\n2\tMay\t12\.5\t2026/,
  );

  plan.answer("and this one?", callTool("read_attachment", { id: locked.id }), say("It has a password."));
  chat.sendDocument(ada, locked.sent, "and this one?");
  await chat.waitForBotMessage("It has a password.");
  assert.match(
    model.requests.at(-1)?.toolResults.at(-1) ?? "",
    /it is encrypted with a password: ask for it without one/,
  );
});

it("reads a spreadsheet and a PDF in the workspace, a worker killed in the middle", {
  skip: skipWithoutPeers(undefined),
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "talaria-workspaces-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o711);
  await using world = await startWorld({
    config: (telegram) => `
sandbox: { backend: sandbox, folder: ${folder} }
leases: { sessionMs: 3000, accountMs: 3000 }
owners: ["telegram:user:${telegram.user({ first_name: "Ada", id: 4242 }).id}"]
accounts:
  bot: { platform: telegram, token: "${telegram.token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } }
`,
  });
  const { telegram, model, plan, talaria } = world;
  const ada = telegram.user({ first_name: "Ada", id: 4242 });
  const chat = telegram.privateChat(ada);
  const plans = await document("plan.pdf", "application/pdf");
  const sales = await document("sales.xlsx", xlsxType);
  const killed = Promise.withResolvers<void>();

  plan.answer("take this", say("Taken."));
  chat.sendDocument(ada, sales.sent, "take this");
  await chat.waitForBotMessage("Taken.");
  plan.answer(
    "compare both",
    callTool("read_file", { path: sales.path, page: 2 }),
    [...hold(killed.promise), ...say("never said")],
    callTool("read_file", { path: plans.path }),
    say("Both say May."),
  );
  chat.sendDocument(ada, plans.sent, "compare both");
  await waitFor(() => (model.requests.at(-1)?.toolResults.length ?? 0) > 0, "the first sheet");
  assert.match(model.requests.at(-1)?.toolResults.at(-1) ?? "", /--- sheet 2 \\?"Notes\\?" ---\n1\thidden note/);
  const worker = (await talaria.processes()).find(({ kind }) => kind === "worker");
  assert.ok(worker);
  process.kill(worker.pid, "SIGKILL");
  killed.resolve();

  await chat.waitForBotMessage("Both say May.", 120_000);
  assert.match(
    model.requests.at(-1)?.toolResults.at(-1) ?? "",
    /plan\.pdf: PDF, 1 page[\s\S]*Grüße aus Zürich[\s\S]*May 12/,
  );
});
