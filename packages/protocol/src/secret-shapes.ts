/** Whether a token, a password in an address or a setting, or a key stands in the text. */
export function holdsSecret(text: string): boolean {
  return text.search(knownSecrets) >= 0 || assigned.test(text);
}

/** Tokens that are known by how they begin, as their services document them, and JSON Web Tokens (RFC 7519). */
const shapes = [
  // GitHub, GitLab, Slack, OpenAI and Anthropic, Stripe.
  ...[
    "gh[opsur]_\\w{16,}",
    "github_pat_\\w{16,}",
    "gl[a-z]{2,6}-[\\w-]{16,}",
    "xox[a-z]-[\\w-]{8,}",
    "xapp-[\\w-]{8,}",
  ],
  ...["sk-[\\w-]{16,}", "[srp]k_(?:live|test)_\\w{8,}", "whsec_[\\w+/=]{8,}"],
  // AWS, Google, npm, PyPI, Hugging Face, DigitalOcean, SendGrid.
  ...[
    "A[KS]IA[0-9A-Z]{12,}",
    "AIza[\\w-]{20,}",
    "ya29\\.[\\w.-]{8,}",
    "npm_\\w{16,}",
    "pypi-[\\w-]{16,}",
    "hf_\\w{16,}",
  ],
  ...["do[op]_v1_\\w{16,}", "SG\\.[\\w-]{8,}\\.[\\w-]{8,}"],
  // Telegram's bots, JSON Web Tokens.
  ...["\\d{6,12}:[\\w-]{30,}", "eyJ[\\w-]{8,}\\.[\\w-]{4,}\\.[\\w-]*"],
];

/** Matches each of them. */
export const knownSecrets = new RegExp(`(?<![A-Za-z0-9])(?:${shapes.join("|")})`, "g");

/** A name of a secret with its value, as settings and addresses have them. */
const assigned = new RegExp(
  "(?:token|secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|private[_-]?key)[\"']?\\s{0,3}[=:]\\s{0,3}[\"']?(?![$*])[^\\s\"'&;|]{6,}" +
    "|[a-z][a-z0-9+.-]{0,20}://[^\\s/:@\"']{0,100}:(?!\\$)[^\\s/@\"']{1,500}@|-----BEGIN [A-Z ]{0,40}PRIVATE KEY",
  "i",
);
