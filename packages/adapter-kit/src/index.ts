export { BoundedMap } from "./bounded-map.ts";
export { cleanName, cleanText } from "./clean-text.ts";
export { equalSecrets } from "./equal-secrets.ts";
export { codeOfStatus, networkCodeOf, unreachable } from "./failed-request.ts";
export {
  backoffMs,
  type Connection,
  keepConnected,
  type Patience,
} from "./keep-connected.ts";
export { Lanes } from "./lanes.ts";
export { fileTooLarge, limitBytes } from "./limit-bytes.ts";
export { keptAliveAgent, type ProxiedFetch, type ProxyAgentOptions, proxiedFetch, proxyDispatcher } from "./proxy.ts";
export { readBody } from "./read-body.ts";
export { type MediaLimit, readMedia } from "./read-media.ts";
export { RunningAccepts } from "./running-accepts.ts";
export { withoutEffect } from "./without-effect.ts";
