/**
 * Keeps components and hooks small: each function has fewer lines than `lines` (blank lines and comments do not count),
 * and each component or hook calls fewer hooks than `hooks`. A component that outgrows this is cut along its meaning:
 * a pane, a row, a toolbar, a hook for its keys or its state.
 */

const isHook = (name) => /^use[A-Z]/.test(name);

/** Name of a function, whether declared, assigned, or given to `memo`. */
function nameOf(node) {
  if (node.id) return node.id.name;
  const parent = node.parent;
  const declared = parent.type === "CallExpression" ? parent.parent : parent;
  return declared.type === "VariableDeclarator" && declared.id.type === "Identifier" ? declared.id.name : "";
}

/** Lines of code between two places. */
function codeLines(source, node) {
  const lines = new Set();
  for (const token of source.getTokens(node))
    for (let line = token.loc.start.line; line <= token.loc.end.line; line++) lines.add(line);
  return lines.size;
}

export default {
  meta: {
    type: "suggestion",
    schema: [{ type: "object", properties: { lines: { type: "integer" }, hooks: { type: "integer" } } }],
    messages: {
      lines: "{{name}} has {{count}} lines of code; fewer than {{most}} are allowed. Cut it along its meaning.",
      hooks: "{{name}} calls {{count}} hooks; fewer than {{most}} are allowed. Put what belongs together into a hook.",
    },
  },
  create(context) {
    const { lines, hooks } = context.options[0];
    const open = [];
    const enter = (node) => open.push({ node, hooks: 0 });
    const leave = (node) => {
      const { hooks: called } = open.pop();
      const name = nameOf(node) || "This function";
      const count = codeLines(context.sourceCode, node);
      if (count >= lines) context.report({ node, messageId: "lines", data: { name, count, most: lines } });
      if (called >= hooks) context.report({ node, messageId: "hooks", data: { name, count: called, most: hooks } });
    };
    return {
      FunctionDeclaration: enter,
      FunctionExpression: enter,
      ArrowFunctionExpression: enter,
      "FunctionDeclaration:exit": leave,
      "FunctionExpression:exit": leave,
      "ArrowFunctionExpression:exit": leave,
      CallExpression({ callee }) {
        const name = callee.type === "MemberExpression" ? callee.property.name : callee.name;
        const inner = open.at(-1);
        if (inner && name && (isHook(name) || name === "use")) inner.hooks += 1;
      },
    };
  },
};
