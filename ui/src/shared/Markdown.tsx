/**
 * Untrusted Markdown, rendered. HTML in it stays letters, images become their address as text, links do not lead
 * anywhere: nothing in a memory can load, run or navigate. Loaded only when somebody asks for it.
 */
import { Trans } from "@lingui/react/macro";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import type { DocumentLine } from "@/bindings";
import { markdownParts } from "./markdown";

const components: Components = {
  a: ({ href, children }) => (
    <span title={href}>
      <span className="inert-text">{children}</span>
      {href && <span className="inert-address"> ({href})</span>}
    </span>
  ),
  img: ({ src, alt }) => (
    <span className="inert-image">
      <Trans>image</Trans>
      {alt && `: ${alt}`}
      {typeof src === "string" && src && <span className="inert-address"> ({src})</span>}
    </span>
  ),
  // A task list's box shows a state; it is not a control.
  input: ({ checked }) => <span>{checked ? "☑ " : "☐ "}</span>,
};

/** Addresses are shown as they are: none is ever followed. */
const asWritten = (address: string) => address;

/** Renders the lines of a content as Markdown. */
export default function Markdown({ lines }: { lines: readonly DocumentLine[] }) {
  const { frontMatter, body } = markdownParts(lines);
  return (
    <div className="markdown">
      {frontMatter !== null && <pre className="front-matter">{frontMatter}</pre>}
      <ReactMarkdown remarkPlugins={[remarkGfm]} components={components} urlTransform={asWritten}>
        {body}
      </ReactMarkdown>
    </div>
  );
}
