import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { waitFor } from "@testing-library/react";
import { returnFocus } from "./focus";

let stop: () => void;
beforeEach(() => {
  stop = returnFocus();
});
afterEach(() => {
  stop();
  document.body.innerHTML = "";
});

const draw = (html: string) => (document.body.innerHTML = html);
const get = (css: string) => document.querySelector<HTMLElement>(css)!;
const focused = (css: string) => waitFor(() => expect(get(css)).toHaveFocus());
const frames = () => new Promise((next) => setTimeout(next, 60));

describe("the focus that is lost", () => {
  it("goes to the title of another screen, once that is there", async () => {
    draw('<div id="root"><main><h1>Inbox</h1><div role="grid" tabindex="0"></div></main></div>');
    get("[role=grid]").focus();
    get("#root").innerHTML = "<p>loading</p>";
    await frames();
    get("#root").innerHTML = "<main><h1>Redact</h1><button class='button-danger'>Roll back</button></main>";
    await focused("h1");
  });

  it("goes to the same control of the next of many", async () => {
    const item = (name: string) =>
      `<li id="${name}"><a href="#">${name}</a><button data-testid="confirm">Confirm</button></li>`;
    draw(`<main><h1>Rules</h1><ul>${item("a")}${item("b")}${item("c")}</ul></main>`);
    get("#b button").focus();
    get("#b").remove();
    await focused("#c button");
    get("#c").remove();
    await focused("#a button");
  });

  it("goes back to where it was before, where what had it is gone", async () => {
    draw(
      '<main><h1>Inbox</h1><div role="grid" tabindex="0"></div><div id="pane"><button data-testid="edit">Edit</button></div></main>',
    );
    get("[data-testid=edit]").focus();
    get("#pane").innerHTML = '<div data-testid="editor" tabindex="0"></div>';
    get("[data-testid=editor]").focus();
    get("#pane").innerHTML = '<button data-testid="edit">Edit</button>';
    await focused("[data-testid=edit]");
  });

  it("stays nowhere where a person put it there", async () => {
    draw('<main><h1>Inbox</h1><button id="a">A</button><p>text</p></main>');
    get("#a").focus();
    document.dispatchEvent(new Event("pointerdown"));
    get("#a").blur();
    document.dispatchEvent(new Event("pointerup"));
    get("#a").remove();
    await frames();
    expect(document.body).toHaveFocus();
  });

  it("comes to no destructive button after a dialog that was opened from nowhere", async () => {
    draw('<div id="root"><main><h1>Session</h1><button class="button button-danger">Roll back</button></main></div>');
    get("button").focus();
    get("button").blur();
    document.body.insertAdjacentHTML("beforeend", '<div class="overlay"><button id="close">Close</button></div>');
    get("#close").focus();
    get(".overlay").remove();
    await focused("h1");
  });
});
