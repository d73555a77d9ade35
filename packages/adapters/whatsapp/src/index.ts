export { type WhatsappConfig, whatsappConfigSchema } from "./config.ts";
export { createWhatsappAdapter } from "./create-adapter.ts";
