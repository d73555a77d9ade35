import assert from "node:assert/strict";
import { it } from "node:test";
import { locateHome } from "./home.ts";
import { startCommand } from "./start-command.ts";

it("names the folder that is to be started, unless it is the default one", () => {
  assert.equal(startCommand(locateHome({}, {}).dir), "npm start");
  assert.equal(startCommand("/srv/my agent"), "talaria start --home '/srv/my agent'");
});
