import htm from "htm";
import { h } from "preact";

/** Markup as a template: what is put in is text, attributes or other parts, and never markup. */
export const html = htm.bind(h);
