// An email account in a process of its own, so that NODE_EXTRA_CA_CERTS counts as it does for an operator: it is read when
// a process starts. Its settings are the argument. It tells its parent what it reports, takes and sends.
import dns from "node:dns";
import { platform } from "@talaria/adapter-email";
import { type AccountId, brandAs, type ConversationId, isGatewayError } from "@talaria/protocol";
import { adapterDeps, messageOf, messageTo } from "@talaria/testkit";
import type { AccountWord } from "./mail-account-process.ts";

const createEmailAdapter = await platform.load();

// The names of the servers are in no DNS: every name is this machine, and none of them is "localhost".
const loopback = [{ address: "127.0.0.1", family: 4 }];
dns.lookup = ((_host: string, _options: object, done: (error: null, found: object) => void) =>
  done(null, loopback)) as typeof dns.lookup;
dns.Resolver.prototype.resolve4 = ((_host: string, done: (error: null, found: string[]) => void) =>
  done(null, ["127.0.0.1"])) as typeof dns.Resolver.prototype.resolve4;

const id = brandAs<AccountId>("mail");
const never = new AbortController().signal;
const tell = (word: AccountWord) => void process.send?.(word, () => undefined);
const log = {
  ...adapterDeps().log,
  warn: ({ reason }: { readonly reason?: unknown }) => tell({ warned: String(reason) }),
};
const adapter = createEmailAdapter(JSON.parse(process.argv[2] ?? ""), adapterDeps({ id, log }));

process.on("message", async (to: string) => {
  const conversationId = brandAs<ConversationId>(to);
  const message = messageTo({ accountId: id, platform: "email", conversationId, kind: "direct" }, "over TLS");
  try {
    await adapter.send(message, never);
    tell({ sentTo: to });
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    tell({ refused: { code: error.code, effect: error.effect, message: error.message } });
  }
});
process.on("disconnect", () => process.exit());

await adapter
  .start({
    accept: async (event) => {
      tell({ received: messageOf(event).markdown });
      return "recorded";
    },
    report: (state) => tell({ state }),
    isAllowed: async () => true,
    received: async () => undefined,
    kindChanged: async () => undefined,
    added: async () => undefined,
    heard: async () => undefined,
    leftOut: () => undefined,
    receipt: async () => undefined,
  })
  .catch(() => undefined);
