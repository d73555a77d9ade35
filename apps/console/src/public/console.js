import { render } from "preact";
import { html } from "./html.js";
import { createPage } from "./page.js";
import { Page } from "./parts/page.js";

const page = createPage();
const place = document.getElementById("page");
// What the page shows until here.
place.replaceChildren();
render(html`<${Page} page=${page} />`, place);

// Also when somebody goes back, or pastes an address with a token.
addEventListener("hashchange", () => page.begin());
page.begin();
