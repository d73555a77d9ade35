export type { WhatsappAction, WhatsappFault } from "./faults.ts";
export type { WhatsappCall } from "./http.ts";
export { realWhatsappLimits, type WhatsappLimits } from "./pair-limit.ts";
export type { WhatsappFile, WhatsappPerson, WhatsappSayOptions } from "./person.ts";
export type { SeenWhatsappChoice, SeenWhatsappFile, SeenWhatsappMessage } from "./seen-message.ts";
export {
  type NewWhatsappPerson,
  startWhatsappServer,
  WhatsappServer,
  type WhatsappServerOptions,
} from "./server.ts";
export { setupCase } from "./setup-case.ts";
export { startStage } from "./stage.ts";
