export { describeCapabilityTable, inConversation } from "./capability-table.ts";
export { type ConformanceTest, messageOf, type Stage, sampleFile } from "./conformance-test.ts";
export {
  type ConformanceOptions,
  type Deviation,
  describeAdapter,
} from "./describe-adapter.ts";
export { faultOf, type Refusals } from "./fault-of.ts";
export type { AdapterHarness, DeliverOptions, PostedMessage, SendFailure } from "./harness.ts";
export { LoopbackAdapter } from "./loopback-adapter.ts";
export { type LoopbackDelivery, LoopbackPlatform } from "./loopback-platform.ts";
export { RecordingHost } from "./recording-host.ts";
