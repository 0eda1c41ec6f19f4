/**
 * A text editor for the final text of a memory: Markdown in colours, what a reader would not see with its code.
 *
 * The content security policy refuses style elements, which is how the editor brings its rules into a page. Within a
 * shadow tree it adopts style sheets instead, which the policy allows; so it lives in one. Line ends stay as they are: a
 * text that has only CR LF keeps them, and in any other a lone CR is a character that shows.
 */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import {
  bracketMatching,
  defineLanguageFacet,
  HighlightStyle,
  Language,
  syntaxHighlighting,
} from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { GFM, type MarkdownConfig, parser } from "@lezer/markdown";
import { useEffect, useRef } from "react";
import { hiddenIn, MAY_HIDE } from "@/shared/hidden";
import css from "./inbox.module.css";

/** Front matter, which to Markdown alone would be a rule and a heading. */
const FRONT_MATTER: MarkdownConfig = {
  defineNodes: [{ name: "FrontMatter", block: true, style: tags.meta }],
  parseBlock: [
    {
      name: "FrontMatter",
      before: "HorizontalRule",
      parse(context, line) {
        if (context.lineStart !== 0 || line.text.trimEnd() !== "---") return false;
        while (context.nextLine()) {
          if (line.text.trimEnd() !== "---") continue;
          context.nextLine();
          break;
        }
        context.addElement(context.elt("FrontMatter", 0, context.prevLineEnd()));
        return true;
      },
    },
  ],
};

const MARKDOWN = new Language(defineLanguageFacet(), parser.configure([GFM, FRONT_MATTER]), [], "markdown");

const COLOURS = HighlightStyle.define([
  { tag: tags.heading, color: "var(--syntax-1)", fontWeight: "600" },
  { tag: [tags.link, tags.url], color: "var(--syntax-2)" },
  { tag: [tags.monospace, tags.labelName], color: "var(--syntax-4)" },
  { tag: [tags.processingInstruction, tags.contentSeparator], color: "var(--syntax-3)" },
  { tag: [tags.quote, tags.comment, tags.meta], color: "var(--ink-2)" },
  { tag: tags.strong, fontWeight: "600" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
]);

const THEME = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--panel)", color: "var(--ink)", fontSize: "12.5px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.65" },
  ".cm-content": { caretColor: "var(--ink)", padding: "8px 0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--ink-3)", border: "none", paddingRight: "6px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--mark)",
  },
  ".cm-hidden-mark": {
    border: "1px solid var(--warn)",
    borderRadius: "4px",
    backgroundColor: "var(--warn-bg)",
    color: "var(--warn)",
    fontSize: "10.5px",
    padding: "0 3px",
    margin: "0 1px",
  },
});

function drawHidden(code: number): HTMLElement {
  const mark = document.createElement("span");
  mark.className = "cm-hidden-mark";
  mark.textContent =
    hiddenIn(String.fromCodePoint(code))[0]?.code ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  return mark;
}

/** The line end of a text, if it has one kind only. */
export function lineEndOf(text: string): "\n" | "\r\n" {
  return text.includes("\r\n") && !/[^\r]\n|^\n|\r(?!\n)/.test(text) ? "\r\n" : "\n";
}

/** Props of the editor. */
export interface EditorProps {
  /** The text it begins with. */
  text: string;
  /** Its name. */
  label: string;
  /** Called with every change. */
  onChange: (text: string) => void;
  /** Called by Ctrl or Cmd and Enter. */
  onSave: () => void;
  /** Called by Escape. */
  onCancel: () => void;
}

/** A text editor. It has the focus from the beginning. */
export function Editor({ text, label, onChange, onSave, onCancel }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const calls = useRef({ onChange, onSave, onCancel });
  useEffect(() => {
    calls.current = { onChange, onSave, onCancel };
  });
  const first = useRef({ text, label });
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const run = (name: "onSave" | "onCancel") => () => {
      calls.current[name]();
      return true;
    };
    const view = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: first.current.text,
        extensions: [
          EditorState.lineSeparator.of(lineEndOf(first.current.text)),
          keymap.of([
            { key: "Mod-Enter", run: run("onSave") },
            { key: "Escape", run: run("onCancel") },
          ]),
          history(),
          keymap.of([...historyKeymap, ...defaultKeymap]),
          lineNumbers(),
          drawSelection(),
          bracketMatching(),
          highlightSpecialChars({ specialChars: MAY_HIDE, render: drawHidden }),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": first.current.label, "data-testid": "editor-content" }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) calls.current.onChange(update.state.sliceDoc());
          }),
          MARKDOWN,
          syntaxHighlighting(COLOURS),
          THEME,
        ],
      }),
    });
    view.focus();
    return () => view.destroy();
  }, []);
  return <div ref={host} className={css.editorHost} data-testid="editor" />;
}
