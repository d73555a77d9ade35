import { keyFilesSign } from "@talaria/protocol";
import { doubt, objection, type TextRule } from "./remark.ts";

const shells =
  "(?:sudo )?(?:-\\w )?(?:/(?:usr/)?bin/)?(?:env )?(?:ba|z|da|k|fi)?sh\\b|\\b(?:python[23]?|node|perl|ruby|php|osascript)\\b";
const fetches = "(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|fetch)";

/** Programs and calls that reach a network. */
export const reachesNetwork =
  /\b(?:curl|wget|ncat|netcat|socat|scp|rsync|sftp|ftp|telnet|nslookup|dig)\b|\bnc -|\b(?:requests|httpx|axios|urllib|aiohttp|http\.client|smtplib)\b|\bfetch ?\(|\bsocket\b|invoke-(?:webrequest|restmethod)/;

/** Files that hold keys, as a part of what is looked for with `reachesNetwork`. */
export const keyFiles: RegExp = new RegExp(
  `${keyFilesSign[0].source}|~/\\.(?:ssh|aws|gnupg)\\b|\\blogin data\\b|\\bcookies\\.sqlite\\b|\\bkeychain(?:-db|s/)|\\bsecurity find-(?:generic|internet)-password|\\b(?:gcloud|gh|op|pass|aws) (?:auth (?:token|print-access-token)|read op:|configure get|show )`,
);

/** All variables of a process at once. */
export const wholeEnvironment =
  /\$\((?:env|printenv|set)\)|\b(?:printenv|env) ?(?:\||>)|json\.(?:dumps|stringify) ?\( ?(?:dict ?\( ?)?(?:os\.environ|process\.env)\b(?!\.)|\bdict ?\( ?os\.environ ?\)|\b(?:data|json|body) ?[=:] ?(?:os\.environ|process\.env)\b(?!\.)/;

export const commandRules: readonly TextRule[] = [
  objection(
    "decode-and-run",
    "it decodes something and runs it",
    new RegExp(
      `\\b(?:base64 (?:-d|-di|--decode|-D)|xxd -r|openssl (?:enc|base64) .{0,40}-d|gunzip|certutil -decode)\\b.{0,120}(?:\\| ?(?:${shells})|&& ?(?:\\./|${shells}))`,
    ),
  ),
  objection(
    "decode-and-run",
    "it decodes something and runs it",
    /\b(?:eval|exec|execsync|function|system|popen|invoke-expression|iex) ?\(? ?[("'`$]{0,3}(?:\w{1,20}\.){0,3}(?:atob|b64decode|base64|buffer\.from|fromcharcode|frombase64string|unhexlify|fromhex|zlib\.decompress|marshal\.loads|codecs\.decode)\b/,
  ),
  objection(
    "decode-and-run",
    "it runs a command that nobody can read",
    /\bpowershell(?:\.exe)? .{0,80}-e(?:nc|ncodedcommand)? [a-z0-9+/=]{20,}|\beval ["']?\$\( ?(?:echo|printf) |\b__import__ ?\( ?["'](?:base64|marshal)["']/,
  ),
  doubt(
    "download-and-run",
    "it runs what it downloads",
    new RegExp(
      `\\b${fetches}\\b[^|;&]{0,200}\\| ?(?:${shells}|iex\\b)|(?:${shells}) ?<\\( ?${fetches}\\b|(?:${shells}) -c ["']?\\$\\( ?${fetches}\\b|\\b(?:iex|invoke-expression) ?\\(? ?\\(?(?:${fetches}|new-object net\\.webclient)|\\b(?:eval|exec) ?\\(? ?["'\`$(]{0,3}${fetches}\\b`,
    ),
  ),
  doubt(
    "download-and-run",
    "it runs what it downloads",
    /\b(?:curl|wget)\b.{0,200}\bchmod (?:\+x|[0-7]?7[0-7]{2}) (?:[^ ]{1,80} )?.{0,20}(?:&&|;|then|\n|\.\/)/,
  ),
  objection(
    "installer-as-prerequisite",
    "its prerequisites are a program from a download",
    /\b(?:download|get|fetch|install) (?:\w{1,14} ){0,6}(?:and run|then run|and execute|then execute|and open|double-click)\b.{0,120}\.(?:exe|msi|dmg|pkg|scr|bat|zip|app)\b|\b(?:download|get|fetch) .{0,160}\.(?:exe|msi|dmg|pkg|scr|zip)\b.{0,80}\b(?:run|execute|launch|open|extract) (?:it|the|this)\b/,
  ),
  objection(
    "archive-with-password",
    "it has an archive with a password opened, which no scanner can read",
    /\b(?:unzip -p ?\S|7z[a]? [xe] .{0,80}-p\S|unrar x .{0,40}-p\S)|\b(?:archive|zip|rar|7z|extract|unzip|unpack)\w{0,3}\b.{0,100}\b(?:password|passphrase|pass) ?(?:is|:|=|`|"|')/,
  ),
  objection(
    "strange-host",
    "it reaches a host where anybody catches or drops data",
    /\b(?:webhook\.site|requestbin\.\w{2,6}|pipedream\.net|ngrok(?:-free)?\.(?:io|app|dev)|interact\.sh|oast\.(?:fun|pro|live|site|online|me)|burpcollaborator\.net|transfer\.sh|pastebin\.com|paste\.ee|hastebin\.com|glot\.io|rentry\.(?:co|org)|0x0\.st|file\.io|trycloudflare\.com|localtunnel\.me|serveo\.net|anonfiles\.com|beeceptor\.com|requestcatcher\.com|dnslog\.cn)\b|discord(?:app)?\.com\/api\/webhooks\/|api\.telegram\.org\/bot\d/,
  ),
  objection(
    "bare-address",
    "it reaches an address without a name",
    /\bhttps?:\/\/(?!127\.|10\.|192\.168\.|0\.0\.0\.0|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.)\d{1,3}(?:\.\d{1,3}){3}\b|\bhttps?:\/\/0x[0-9a-f]{8}\b/,
  ),
  objection(
    "reverse-shell",
    "it gives somebody else a shell",
    /\/dev\/(?:tcp|udp)\/|\b(?:nc|ncat|netcat)\b .{0,60}-[a-z]{0,3}[ec] ?(?:\/bin\/)?\w{0,4}sh\b|\bmkfifo\b.{0,120}\bnc\b|\bdup2 ?\( ?\w{1,10}\.fileno|\bsocat\b.{0,80}\bexec:/,
  ),
  objection(
    "destroys",
    "it deletes what is not its own",
    /\brm -[a-z]{0,4}[rf][a-z]{0,4} (?:-{1,2}[\w-]{1,20} ){0,3}["']?(?:\/(?:\s|$|\*|"|')|~(?:\/?(?:\s|$|\*))|\$home\b|\/(?:etc|usr|var|home|root|boot)\b)|\bmkfs(?:\.\w{1,6})? |\bdd if=.{0,60} of=\/dev\/|:\(\) ?\{ ?:\|:& ?\} ?;|\bshutil\.rmtree ?\( ?(?:os\.path\.expanduser ?\( ?)?["'](?:\/|~)["']|\b(?:format c:|del \/[sfq] .{0,20}c:\\)/,
  ),
  objection(
    "persists",
    "it stays on the machine after its work",
    /\| ?crontab -|\bcrontab [~/.]\S|\/etc\/(?:cron|rc\.local|ld\.so\.preload|profile\.d)|(?:>>|tee -a|echo .{0,80}>) ?["']?(?:~|\$home)?\/?[^ ]{0,40}\.(?:bashrc|zshrc|profile|bash_profile|zprofile)\b|\blaunchctl (?:load|bootstrap)|\blaunchagents\/|\bsystemctl (?:--user )?enable\b|\/etc\/systemd\/|\bschtasks \/create|\bauthorized_keys\b/,
  ),
  objection(
    "weakens-guards",
    "it switches off what protects the machine or its owner",
    /--dangerously-skip-permissions|--dangerously-bypass|\b--yolo\b|\bspctl --master-disable|\bxattr -[a-z]{0,3}[cd][a-z]{0,3} .{0,40}(?:quarantine|\.app\b)|\bset-mppreference\b|\bsetenforce 0|\bufw disable|\biptables -f\b|\bcsrutil disable|\bset-executionpolicy (?:bypass|unrestricted)|\b(?:approvals?|confirmations?|sandbox(?:ing)?)["']? ?(?:to|=|:) ?["']?(?:off|none|never|false|auto|disabled)\b|nopasswd ?: ?all/,
  ),
  doubt(
    "machine-rights",
    "it wants rights on the whole machine",
    /\bchmod (?:-r )?(?:0?777|\+s|u\+s|[2467]7\d\d)\b|\bsudo (?:su|-i|-s|bash|sh)\b|--privileged\b|\/var\/run\/docker\.sock/,
  ),
  doubt(
    "strange-registry",
    "it installs from elsewhere than the usual registry",
    /\b(?:pip3?|uv pip|npm|pnpm|yarn|gem|cargo) (?:install|add|i)\b.{0,80}(?:--(?:extra-)?index-url|--registry|git\+http:|https?:\/\/(?!github\.com|gitlab\.com|pypi\.org|registry\.npmjs\.org))/,
  ),
  doubt(
    "sends-a-file",
    "it sends a file or what a command prints to a host",
    /\bcurl\b.{0,160}(?:-t |--upload-file |-f ["']?\w{1,20}=@|(?:-d|--data|--data-binary|--data-raw) ?["']?(?:@|\$\()|\?[\w=&-]{0,60}=?\$\()|\bwget\b.{0,120}--post-file|\b(?:dig|nslookup|ping|host)\b .{0,40}\$\(/,
  ),
  doubt(
    "picture-with-query",
    "a picture's address can carry what was read to somebody else",
    /!\[[^\]]{0,200}\]\(https?:\/\/[^)\s]{0,200}[?&][^)\s]{0,60}=[^)\s]{0,40}(?:\{|\$|<|%7b|data|secret|token|summary|history|conversation)/,
  ),
];
