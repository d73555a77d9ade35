import assert from "node:assert/strict";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { stopTestPostgres } from "@talaria/postgres";
import { callTool, say } from "@talaria/testkit";
import { skipWithoutPeers } from "../../packages/sandbox/src/missing-peers.fixture.ts";
import {
  innerAddress,
  isInOwnNetwork,
  passInOwnNetwork,
  peerAddress,
  skipWithoutNetworks,
} from "../support/own-network.ts";
import { startPublicPeer } from "../support/public-peer.ts";
import { longestWaitMs } from "../support/wait-for.ts";
import { startWorld } from "../support/world.ts";

const skip = skipWithoutPeers(undefined) || skipWithoutNetworks;
const [packages, files, elsewhere] = ["packages.example.org", "files.example.org", "elsewhere.example.org"];
const [other, inside] = ["other.example.org", "inside.example.org"];
const names = {
  ...{ [packages]: peerAddress, [files]: peerAddress, [elsewhere]: peerAddress, [other]: peerAddress },
  [inside]: innerAddress,
};
const pip = `pip install --index-url http://${packages}/simple/ --trusted-host ${packages} --trusted-host ${files} hello-talaria 2>&1 && /usr/bin/python3 -m hello_talaria`;
const npm = `mkdir -p n && cd n && npm install --registry http://${packages}/npm/ hello-talaria 2>&1 && node -e 'require("hello-talaria")'`;
const git = `git clone -q http://${packages}/git/hello.git 2>&1 && cat hello/README`;

if (!isInOwnNetwork)
  it("installs are asked about, agreed to by a press, and done", { skip }, ({ signal }) =>
    passInOwnNetwork(import.meta.filename, names, signal),
  );
else
  it("pip, npm and git: asked once, agreed, done; refused, said; elsewhere asked again, inside never", async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "installs-"));
    t.after(async () => {
      await stopTestPostgres();
      await rm(folder, { recursive: true, force: true });
    });
    await chmod(folder, 0o711);
    await using peer = await startPublicPeer(folder, { files, elsewhere });
    await using world = await startWorld({
      config: (telegram) => `
sandbox: { backend: sandbox, folder: ${folder}/w }
owners: ["telegram:user:${telegram.user({ first_name: "Ada", id: 4242 }).id}"]
accounts:
  bot: { platform: telegram, token: "${telegram.token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } }
`,
    });
    const { telegram, plan, model } = world;
    const ada = telegram.user({ first_name: "Ada", id: 4242 });
    const chat = telegram.privateChat(ada);
    const questions = () => chat.botMessages().filter(({ text }) => text.includes("May I "));
    /** Runs the command in a turn of its own, answers what it is asked, and gives what the model reads. */
    const run = async (command: string, network: readonly string[], press?: { button: string; shows: string }) => {
      const words = `request ${model.requests.length}`;
      const before = questions().length;
      plan.answer(words, callTool("terminal", { command, network }), say(`Done with ${words}.`));
      chat.say(ada, words);
      if (press !== undefined) {
        const question = await chat.waitForBotMessage(press.shows, longestWaitMs);
        chat.press(ada, question.id, press.button);
      }
      await chat.waitForBotMessage(`Done with ${words}.`, longestWaitMs);
      assert.equal(questions().length - before, press === undefined ? 0 : 1, command);
      return model.requests.at(-1)?.toolResults.at(-1) ?? "";
    };
    const agree = (shows: string) => ({ button: "For this conversation", shows });
    const web = (host: string) => `${host} (https and http)`;

    assert.match(
      await run(pip, []),
      /\[packages\.example\.org was refused: .*network: \["packages\.example\.org"\]\]$/,
    );
    assert.equal(peer.asked.length, 0, "nobody has agreed yet");

    assert.match(await run(pip, [packages, files], agree(web(files))), /hello from pip/);
    assert.match(await run(npm, [packages]), /hello from npm/);
    assert.match(await run(git, [packages]), /hello from git/);
    for (const path of [`${files} /files/`, `${packages} /npm/hello.tgz`, `${packages} /git/hello.git/`])
      assert.ok(
        peer.asked.some((line) => line.startsWith(path)),
        path,
      );

    const denied = await run(`curl -sS http://${other}/there`, [other], { button: "Deny", shows: web(other) });
    assert.match(denied, /denied|refused|did not agree|said no/i);
    assert.ok(!peer.asked.some((line) => line.startsWith(other)));

    const away = `curl -sSL http://${packages}/away 2>&1`;
    assert.match(await run(away, [packages]), /\[elsewhere\.example\.org was refused: .*network: /);
    assert.ok(!peer.asked.some((line) => line.startsWith(elsewhere)));
    assert.match(await run(away, [packages, elsewhere], agree(web(elsewhere))), /there/);
    assert.ok(peer.asked.includes(`${elsewhere} /there`));

    const led = await run(`curl -sS http://${inside}/there 2>&1`, [inside]);
    assert.match(led, /inside\.example\.org was refused/);
    assert.ok(!peer.asked.some((line) => line.startsWith(inside)));
  });
