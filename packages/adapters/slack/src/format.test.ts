import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeCapabilityTable, inConversation } from "@talaria/testkit";
import { capabilitiesIn, capabilitiesOf } from "./capabilities.ts";
import { slackConfigSchema } from "./config.ts";
import { reactionEmoji, reactionName } from "./emoji.ts";
import { measure, toBlocks, toNotice, toText } from "./format.ts";
import { mentionsIn, toMarkdown } from "./mrkdwn.ts";
import { toMrkdwn } from "./mrkdwn-dialect.ts";
import { conversation } from "./testing/world.ts";

const config = slackConfigSchema.parse({ botToken: "xoxb-1", appToken: "xapp-1" });
const inThread = capabilitiesOf(config);
const elsewhere = inConversation(inThread, capabilitiesIn(conversation("C01"), config, true, false));
describeCapabilityTable("slack", inThread, elsewhere);

describe("text for Slack", () => {
  const zero = "\u200B";
  const golden: readonly [markdown: string, text: string][] = [
    [
      "# Title\n\n**bold** *it* ~~old~~ `code` [a](https://e.org)",
      "# Title\n\n**bold** *it* ~~old~~ `code` [a](https://e.org)",
    ],
    ["| a | b |\n| - | - |\n| 1 | 2 |", "| a | b |\n| - | - |\n| 1 | 2 |"],
    ["<!channel> wake up", `<${zero}!channel> wake up`],
    ["<!here|here>, <!everyone>", `<${zero}!here|here>, <${zero}!everyone>`],
    ["<!subteam^S012> and <@U012>", `<${zero}!subteam^S012> and <${zero}@U012>`],
    ["`<!channel>`", `\`<${zero}!channel>\``],
    ["a <!DOCTYPE html> b < c && d > e<!-- a comment -->", "a <!DOCTYPE html> b < c && d > e"],
    ["so \\(a_1\\) <b>x</b><br>H<sub>2</sub>O 2*3*4", "so `a_1` **x**  \nH₂O 2\\*3\\*4"],
    ["> [!NOTE]\n> a\\\n> b", "> **Note**  \n> a  \n> b"],
    ["<b>a\n\nb</b>", "**a**\n\n**b**"],
    ["nul \u0000 and end  \n", "nul \uFFFD and end"],
  ];
  for (const [markdown, text] of golden)
    it(`makes ${JSON.stringify(text)} of ${JSON.stringify(markdown)}`, () => assert.equal(toText(markdown), text));

  const mrkdwn: readonly [markdown: string, text: string][] = [
    ["# A *b* title\n\n**bold** *it* ~~old~~ `a < b`", "*A _b_ title*\n\n*bold* _it_ ~old~ `a &lt; b`"],
    ["[a](https://e.org/?x=1&y=2) <https://e.org>", "<https://e.org/?x=1&amp;y=2|a> <https://e.org>"],
    ["[call](tel:+49) [m](mailto:a@e.org) [doc](a.md)", "call (tel:+49) <mailto:a@e.org|m> doc (a.md)"],
    ["[odd](javascript:1) [https://bank.test](https://evil.test)", "odd https://bank.test (<https://evil.test>)"],
    ["<!channel> <@U012> a | b", "&lt;!channel&gt; &lt;@U012&gt; a | b"],
    ["- one\n- two\n\n1. a\n2. b", "• one\n• two\n\n1. a\n2. b"],
    ["> said\n> > before", "> said\n> \n> before"],
    ["```js\na && b\n```", "```\na &amp;&amp; b\n```"],
    ["| a | b |\n| - | - |\n| 1 | 2 |", "```\na | b\n--+--\n1 | 2\n```"],
    ["\\(a_1\\,b\\)\n\n$$\nx*y*z\n$$", "`a_1\\,b`\n\n```\nx*y*z\n```"],
    ["**two\nlines**", "*two*\n*lines*"],
  ];
  for (const [markdown, text] of mrkdwn)
    it(`writes ${JSON.stringify(markdown)} in Slack's own dialect`, () => assert.equal(toMrkdwn(markdown), text));

  it("measures what is sent, and nothing where nothing is shown", () => {
    assert.equal(measure("<!here>"), "&lt;".length + 6 + "&gt;".length);
    assert.equal(measure(" \n\n"), 0);
  });

  it("escapes Slack's signs in notifications and keeps them short", () => {
    assert.equal(toNotice("<!channel> & co"), "&lt;!channel&gt; &amp; co");
    assert.equal(toNotice("word ".repeat(1_000)).length, 300);
  });

  it("shortens labels to what a button takes", () => {
    const [actions] = toBlocks("", [{ id: "a", label: "😀".repeat(80) }]);
    const [button] = (actions?.elements ?? []) as { text: { text: string } }[];
    assert.ok((button?.text.text.length ?? 99) <= 75 && button?.text.text.isWellFormed());
  });
});

describe("text from Slack", () => {
  const names = { user: (id: string) => (id === "U01" ? "Ada" : undefined) };
  const golden: readonly [mrkdwn: string, markdown: string][] = [
    ["*bold* _it_ ~old~ `*code*`", "**bold** _it_ ~~old~~ `*code*`"],
    ["2*3*4 and a*b*", "2*3*4 and a*b*"],
    ["<https://e.org/?a=1&amp;b=2|a *link*>", "[a *link*](https://e.org/?a=1&b=2)"],
    ["<https://e.org>", "https://e.org"],
    ["<mailto:a@e.org|a@e.org>", "[a@e.org](mailto:a@e.org)"],
    ["<@U01> meets <@U02|bob> in <#C01|general>", "@Ada meets @bob in #general"],
    ["<!here> <!channel|channel> <!subteam^S1|@team> <!date^1^{date}|today>", "@here @channel @team today"],
    ["<javascript:alert(1)|click>", "<javascript:alert(1)|click>"],
    ["1 &lt; 2 &amp;&amp; 3 &gt; 2 &amp;lt;", "1 < 2 && 3 > 2 &lt;"],
    ["&gt; quoted", "> quoted"],
    ["```\n*not bold* &lt;a&gt; <https://e.org>\n```", "```\n*not bold* <a> https://e.org\n```"],
    ["<unfinished", "<unfinished"],
    ["", ""],
  ];
  for (const [mrkdwn, markdown] of golden)
    it(`makes ${JSON.stringify(markdown)} of ${JSON.stringify(mrkdwn)}`, () =>
      assert.equal(toMarkdown(mrkdwn, names), markdown));

  it("finds who is mentioned, each once", () => {
    assert.deepEqual(mentionsIn("<@U01> <@U02|x> <@U01> @U03"), ["U01", "U02"]);
  });
});

describe("reactions", () => {
  it("have names that lead back to them", () => {
    for (const emoji of ["👀", "⏳", "✅", "❌", "👍", "❤️", "❤", "👍🏽", "🤷"]) {
      const name = reactionName(emoji);
      assert.match(name ?? "", /^[a-z0-9_+-]+(::skin-tone-[2-6])?$/, emoji);
      assert.equal(reactionEmoji(name ?? "").replaceAll("\uFE0F", ""), emoji.replaceAll("\uFE0F", ""));
    }
    assert.equal(reactionName("👍"), "+1");
    assert.equal(reactionEmoji("thumbsup"), "👍");
    assert.equal(reactionName("🦖"), undefined);
    assert.equal(reactionEmoji("<script>"), ":script:");
  });
});
