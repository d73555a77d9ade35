import { describeAdapter } from "./describe-adapter.ts";
import { makeLoopbackHarness } from "./loopback-harness.ts";

describeAdapter("the loopback adapter", makeLoopbackHarness);
