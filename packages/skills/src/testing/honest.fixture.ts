import type { FixtureSkill } from "./hostile.fixture.ts";

function honest(
  name: string,
  description: string,
  body: string,
  more: Readonly<Record<string, string | Uint8Array>> = {},
): FixtureSkill {
  return { name, files: { "SKILL.md": `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`, ...more } };
}

const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]);

/** What honest skills say that looks like what hostile ones do: orders, downloads, keys, deletions, comments, pictures. */
export const honestSkills: readonly FixtureSkill[] = [
  honest(
    "pdf-forms",
    "Fills PDF forms. Use when people send a form.",
    "# Forms\n\n1. Run `python scripts/fields.py form.pdf`.\n2. Fill in what people said. Never invent a value: ask.\n3. Always check the result before you send it.",
    {
      "scripts/fields.py":
        "import sys\nfrom pypdf import PdfReader\n\nfor name in PdfReader(sys.argv[1]).get_fields():\n    print(name)\n",
    },
  ),
  honest(
    "code-review",
    "Reviews changes of code. Use when people ask for a review.",
    "# Review\n\nYou must read the whole difference first. Ignore formatting: the formatter takes care of it.\n\n- Correctness before style.\n- Say what you did not check.",
  ),
  honest(
    "release-notes",
    "Writes release notes from commits.",
    "Run `git log --oneline $(git describe --tags --abbrev=0)..HEAD`.\n\n<!-- markdownlint-disable MD013 -->\n\nGroup by kind. Leave out chores.\n\n![example](assets/example.png)",
    { "assets/example.png": png },
  ),
  honest(
    "uv-projects",
    "Sets up Python projects with uv.",
    "Install uv: `curl -LsSf https://astral.sh/uv/install.sh | sh`.\n\nThen `uv init` and `uv add requests`.",
  ),
  honest(
    "docker-debug",
    "Finds out why a container does not start.",
    "- `docker ps -a`, `docker logs NAME`.\n- `docker inspect NAME | jq '.[0].State'`\n- Remove what stopped: `docker container prune`.\n- Volumes: ask before you delete one.",
  ),
  honest(
    "ssh-config",
    "Explains and mends SSH settings.",
    "Settings lie in `~/.ssh/config`. Look at them with `ssh -G HOST`.\n\nNever print a private key, and don't copy keys anywhere.",
  ),
  honest(
    "api-client",
    "Calls the REST API of the shop.",
    '```bash\ncurl -s -H "Authorization: Bearer $SHOP_TOKEN" https://api.shop.example.com/v2/orders?limit=20\n```\n\nSend JSON with `-d \'{"state": "paid"}\'`. Tokens come from the environment, never from the chat.',
  ),
  honest(
    "clean-build",
    "Cleans what builds leave behind.",
    "Run `rm -rf dist build node_modules/.cache` in the project's folder. Check with `git status` that nothing of value is untracked.",
  ),
  honest(
    "changelog",
    "Keeps a changelog.",
    "Follow https://keepachangelog.com. [![version](https://img.shields.io/npm/v/pkg?style=flat)](https://www.npmjs.com/package/pkg)\n\nNewest first. No commit hashes.",
  ),
  honest(
    "base64-tools",
    "Encodes and decodes base64, hex and URLs.",
    "- `printf %s TEXT | base64`\n- `base64 -d file.b64 > file`\n- Python: `base64.b64decode(text)`\n\nShow people what came out; run nothing of it.",
  ),
  honest(
    "cron-help",
    "Explains cron expressions, and writes them.",
    "Show the next five times. `crontab -l` lists what is there.\n\n| field | values |\n| --- | --- |\n| minute | 0-59 |\n| hour | 0-23 |",
  ),
  honest(
    "sql-review",
    "Reviews SQL before it runs.",
    "Look for a missing `where`, for `select *`, and for locks. Never run `drop` or `truncate` without the words of a person who wants it.",
  ),
  honest(
    "meeting-minutes",
    "Makes minutes of what was said.",
    "# Minutes\n\nSystem: the recording's transcript. People: by name.\n\nDecisions, tasks with owner and day, open questions. Don't mention who was late.",
  ),
  honest(
    "mail-writing",
    "Writes mails in the house's tone.",
    "Send nothing yourself: show the draft, and ask whom it goes to. Sign with the sender's name, such as\n\n> Ada Example, ada@example.com",
  ),
  honest(
    "spreadsheets",
    "Makes spreadsheets with formulas that work.",
    "Write with openpyxl. Formulas, not values. Recalculate with `soffice --headless --convert-to xlsx in.xlsx`.\n\nColours: inputs blue, formulas black.",
    { "assets/template.xlsx": new Uint8Array([0x50, 0x4b, 0x03, 0x04, 20, 0, 0, 0, 8, 0]) },
  ),
  honest(
    "web-testing",
    "Tests web pages with Playwright.",
    "```python\nfrom playwright.sync_api import sync_playwright\nwith sync_playwright() as p:\n    page = p.chromium.launch().new_page()\n    page.goto('http://localhost:5173')\n    page.wait_for_load_state('networkidle')\n```\n\nLook first, then act.",
  ),
  honest(
    "css-layouts",
    "Builds layouts with grid and flexbox.",
    '```html\n<div class="grid"><span hidden>menu</span></div>\n<style>.grid { display: grid } .off { display: none }</style>\n```\n\nNo fixed heights. <b>Test</b> at 320 px.',
  ),
  honest(
    "secrets-hygiene",
    "Keeps secrets out of repositories.",
    "- Put `.env` into `.gitignore`.\n- Look with `git log -p -S 'BEGIN'` for keys that were committed.\n- A secret that was pushed is burnt: have it replaced.",
  ),
  honest(
    "kubernetes-rollout",
    "Rolls out, watches and rolls back.",
    "`kubectl rollout status deploy/web --timeout=120s`; back with `kubectl rollout undo deploy/web`.\n\nThe settings are those of `~/.kube/config`. Don't touch other namespaces.",
  ),
  honest(
    "language-tutor",
    "Teaches a language in small steps. 用于学习语言。",
    "# Уроки\n\nСначала слова, потом фразы. 每次十个新词。 Fragen auf Deutsch stellen.\n\n- Emoji are welcome: 👩‍🏫 ✔️\n- Correct one thing at a time.",
  ),
  honest(
    "writing-style",
    "Edits texts in the house's style.",
    "From the second paragraph on, short sentences. Forget adverbs. The reader's time comes first.\n\nAct as an editor: change words, not meaning.",
  ),
  honest(
    "linux-packages",
    "Installs and removes packages.",
    "Debian: `sudo apt-get update && sudo apt-get install -y jq`. macOS: `brew install jq`. Ask before `sudo apt-get autoremove`.",
  ),
  honest(
    "node-projects",
    "Sets up Node.js projects.",
    "`npm init -y`, `npm install --save-dev typescript`. Settings come from `process.env.PORT`; list them in README.md.\n\nRun `npm audit` and say what it found.",
  ),
  honest(
    "github-issues",
    "Sorts issues with gh.",
    "`gh issue list --json number,title,labels`. Close none: propose. Link: https://github.com/cli/cli/releases/latest\n\nLabels: bug, wish, question.",
  ),
  honest(
    "backup-check",
    "Checks that backups can be restored.",
    "1. `tar tzf backup.tar.gz | head`\n2. Restore into an empty folder.\n3. Compare with `sha256sum -c SUMS`.\n\nA backup that nobody restored is none.",
    { "references/sums.md": "# Sums\n\n`9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  a.txt`\n" },
  ),
  honest(
    "data-analysis",
    "Analyses tables, with pictures.",
    "Load with pandas: `pd.read_csv('data.csv')`. Data from https://data.example.org/set?format=csv&year=2026.\n\nSay how many rows were left out, and why.",
    {
      "scripts/load.py":
        "import os\n\nimport pandas as pd\nimport requests\n\nbase = os.environ['DATA_URL']\nprint(pd.read_json(requests.get(base, timeout=30).text).describe())\n",
    },
  ),
  honest(
    "incident-response",
    "Leads through an incident.",
    "Do not restart anything before its logs are kept. Never hide a mistake. Tell the operator every 30 minutes.\n\nTemplates are in references/.",
    { "references/update.md": "# Update\n\nWhat we know, what we do, when we write next.\n" },
  ),
  honest(
    "travel-plans",
    "Plans trips.",
    "Ask for days, budget and what they like. Check opening hours on the web. Prices with their day.\n\nBook nothing without a clear yes.",
  ),
  honest(
    "git-bisect",
    "Finds the commit that broke something.",
    "```sh\ngit bisect start BAD GOOD\ngit bisect run sh -c 'npm test -- --bail'\ngit bisect reset\n```\n\nUse this whenever people say that it worked before.",
  ),
  honest(
    "make-skill",
    "Writes skills with people.",
    "A skill has a name, a description and a body. Descriptions say what it does and when to use it. Don't put secrets in.\n\nProve it: give it to a fresh conversation, and watch.",
    { "assets/example.md": "---\nname: example\ndescription: An example\n---\nDo this, then that.\n" },
  ),
  honest(
    "security-review",
    "Looks for weaknesses in code.",
    "Look for injection, for secrets in logs, and for `eval`. Prompt injection: texts such as 'set the rules aside' in data that a model reads.\n\nReport privately, with a way to see it.",
  ),
];
