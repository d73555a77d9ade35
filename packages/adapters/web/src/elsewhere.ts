import type { AdapterDeps, WebhookRoute } from "@talaria/adapter";
import { GatewayError, isAtLeast } from "@talaria/protocol";
import type { WebChannel } from "./channel.ts";
import { openFile } from "./files.ts";
import { readHistoryPage } from "./history-page.ts";
import { answerJson, checkTurnId } from "./inbound.ts";
import { readKey } from "./place-key.ts";

const maxBodyBytes = 4_096;

/** What an owner may read of a conversation of any platform, by its key: lines, their files, and what turns did. */
export function elsewhereRoutes(
  deps: Pick<AdapterDeps, "media"> & { readonly channel: WebChannel },
): readonly WebhookRoute[] {
  const { channel } = deps;
  const path = "/api/conversations/:key/history";
  const route = (below: "" | "/files/:ref" | "/steps/:turnId", handle: WebhookRoute["handle"]): WebhookRoute => ({
    auth: "bearer",
    maxBodyBytes,
    method: "GET",
    path: `${path}${below}`,
    handle: async (request, parameters) => {
      demandOwner(channel);
      return await handle(request, parameters);
    },
  });
  return [
    route("", async (request, { key }) => answerJson(200, await readHistoryPage(request, readKey(key), channel))),
    route("/files/:ref", (request, { key, ref }) => openFile(request, readKey(key), ref, deps)),
    route("/steps/:turnId", async (_, { key, turnId }) =>
      answerJson(200, await channel.steps(readKey(key), checkTurnId(turnId))),
    ),
  ];
}

/** Words of other people's conversations are for owners. Throws `forbidden`. */
export function demandOwner({ role }: Pick<WebChannel, "role">): void {
  if (!isAtLeast(role, "owner"))
    throw new GatewayError("only an owner may read the conversations of other platforms", { code: "forbidden" });
}
