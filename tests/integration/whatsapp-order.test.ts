import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import tls from "node:tls";
import { loadPlatform } from "@talaria/platforms";
import { type Clock, systemClock } from "@talaria/protocol";
import { adapterDeps, type Person, RecordingHost } from "@talaria/testkit";
import { startLinkedStage } from "../../packages/adapters/whatsapp/src/testing/linked-stage.ts";
import { webHosts } from "../../packages/adapters/whatsapp/src/testing/tls-door.ts";
import { makeCertificates } from "../support/certificates.ts";

const certificates = await makeCertificates(webHosts);
const trusted = tls.getCACertificates("default");

/** However slow the machine, it is the frames that decide, and no wait that is over. */
const patient: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(60 * ms, signal) };

/** The real library, linked to a WhatsApp of ours. */
describe("a group on a linked device", { skip: certificates === undefined && "needs openssl" }, () => {
  const { authority, known } = certificates ?? {};

  before(() => tls.setDefaultCACertificates([...trusted, ...(authority === undefined ? [] : [authority])]));
  after(() => tls.setDefaultCACertificates(trusted));
  leavesNothingBehind();

  it("is heard in the order in which people spoke, known or not", async () => {
    await using stage = await startLinkedStage(authority ?? "", known ?? assert.fail("there are no certificates"));
    const { platform: _, access: __, proxy, ...settings } = stage.account as Record<string, unknown>;
    const create = (await (await loadPlatform("whatsapp"))?.load()) ?? assert.fail("whatsapp is not registered");
    const adapter = create(settings, adapterDeps({ proxy: new URL(String(proxy)), clock: patient }));
    await using host = Object.assign(new RecordingHost(60_000), { [Symbol.asyncDispose]: () => adapter.stop() });
    const starting = adapter.start(host);
    await host.until(() => host.states.some(({ status }) => status === "linking"), "a code to link with");
    const code = host.states.findLast((state) => state.status === "linking");
    await stage.scan(code?.status === "linking" ? code.value : "");
    await starting;
    await host.until(() => host.states.at(-1)?.status === "connected", "connected");
    await stage.sayAtOnce([["ada", "first"]]);
    await host.recorded(1);
    const spoken: readonly (readonly [Person, string])[] = [
      ["bob", "two"],
      ["ada", "three"],
      ["cleo", "four"],
      ["ada", "five"],
      ["bob", "six"],
    ];
    await stage.sayAtOnce(spoken);
    const heard = await host.recorded(1 + spoken.length);
    assert.deepEqual(
      heard.slice(1).map((event) => event.type === "message.created" && event.message.markdown),
      spoken.map(([, text]) => text),
    );
  });
});

/**
 * The library limits the upload of a new device's keys to 30 s (`UPLOAD_TIMEOUT`) and never clears that timer: it alone would keep this
 * process for as long.
 */
function leavesNothingBehind(): void {
  const usual = globalThis.setTimeout;
  const uploadMs = 30_000;
  before(() => {
    const released = (...given: Parameters<typeof usual>) => {
      const timer = usual(...given);
      return given[1] === uploadMs ? timer.unref() : timer;
    };
    globalThis.setTimeout = Object.assign(released, usual);
  });
  after(() => {
    globalThis.setTimeout = usual;
  });
}
