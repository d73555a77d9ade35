/**
 * Whether Telegram makes a link of an address behind other words. It does so of its own `tg:` links and of web addresses
 * whose host has a dot; of `mailto:` it makes a wrong web address, and of everything else nothing (TDLib,
 * `LinkManager::check_link_impl` and `parse_url`, as the Bot API server uses them).
 */
export function isLink(url: string): boolean {
  if (/^tg:/i.test(url)) return true;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return false;
  return /[.\]]/.test(new URL(url).hostname);
}
