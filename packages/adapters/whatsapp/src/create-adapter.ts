import type { Adapter, AdapterDeps } from "@talaria/adapter";
import { createCloudAdapter } from "./cloud/adapter.ts";
import type { WhatsappConfig } from "./config.ts";
import { createWebAdapter } from "./web/adapter.ts";

/** One WhatsApp account: a number of the Cloud API, or a linked device. Does no I/O before `start`. */
export function createWhatsappAdapter(config: WhatsappConfig, deps: AdapterDeps): Adapter {
  return config.mode === "web" ? createWebAdapter(config, deps) : createCloudAdapter(config, deps);
}
