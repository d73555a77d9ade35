export { describeCapabilityTable, inConversation } from "./capability-table.ts";
export { type ConformanceTest, messageOf, outbound, type Stage, sampleFile } from "./conformance-test.ts";
export {
  type ConformanceOptions,
  conformanceTests,
  type Deviation,
  describeAdapter,
  runConformanceTest,
} from "./describe-adapter.ts";
export { faultOf, type Refusals } from "./fault-of.ts";
export type { AdapterHarness, DeliverOptions, PostedMessage, SendFailure } from "./harness.ts";
export { LoopbackAdapter, loopbackConversation } from "./loopback-adapter.ts";
export { makeLoopbackHarness } from "./loopback-harness.ts";
export { type LoopbackDelivery, LoopbackPlatform, loopbackSelf } from "./loopback-platform.ts";
export { RecordingHost } from "./recording-host.ts";
