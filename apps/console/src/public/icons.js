import { html } from "./html.js";

const paths = {
  attach: "M20 11.5 12 19a5 5 0 0 1-7-7l8.5-8.5a3.3 3.3 0 0 1 4.7 4.7L9.7 16.6a1.7 1.7 0 0 1-2.4-2.4l7.8-7.7",
  copied: "m5 13 4 4L19 7",
  copy: "M9 9V5a1 1 0 0 1 1-1h9a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1h-4M5 9h9a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1z",
  down: "M12 4v15M5 12l7 7 7-7",
  list: "M4 6h16M4 12h16M4 18h16",
  close: "M6 6l12 12M18 6 6 18",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  create: "M12 5v14M5 12h14",
  retry: "M4 12a8 8 0 1 0 2.5-5.8L4 8.5M4 4v4.5h4.5",
  send: "M12 20V5M5 12l7-7 7 7",
  stop: "M7 7h10v10H7z",
};

/** A picture on a button, whose name stands elsewhere. */
export function Icon({ name }) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${paths[name]} /></svg>`;
}
