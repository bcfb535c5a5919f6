// Reads [{path, text, start, end}] and writes, for each, the syntax tree of that piece of text as one string.
// Parentheses, empty statements, quotes and the format are not part of it. Usage: node syntax_trees.js TYPESCRIPT_DIR
const ts = require(require("path").resolve(process.argv[2]));
const NAMED = new Set(["PropertyAssignment", "PropertySignature", "MethodDeclaration", "PropertyDeclaration"]);

function dump(node, parent) {
  const kind = ts.SyntaxKind[node.kind];
  // A statement of an expression is that expression, with or without its semicolon.
  if (ts.isParenthesizedExpression(node) || ts.isExpressionStatement(node)) return dump(node.expression, parent);
  if (ts.isParenthesizedTypeNode(node)) return dump(node.type, parent);
  if (ts.isEmptyStatement(node) && parent && (ts.isBlock(parent) || ts.isSourceFile(parent))) return "";
  if (ts.isSemicolonClassElement(node)) return "";
  if (ts.isJsxExpression(node) && node.expression && ts.isStringLiteral(node.expression)) {
    return ts.isJsxAttribute(parent) ? dump(node.expression, parent) : `text:${node.expression.text}`;
  }
  if (ts.isJsxText(node)) return text(node.text);
  if (ts.isStringLiteral(node) && parent && parent.name === node && NAMED.has(ts.SyntaxKind[parent.kind])) {
    return `Identifier(${JSON.stringify(node.text)})`;
  }
  const parts = [];
  if (typeof node.text === "string" && !ts.isSourceFile(node)) parts.push(JSON.stringify(node.text));
  if (node.operator !== undefined) parts.push(ts.SyntaxKind[node.operator]);
  if (ts.isVariableDeclarationList(node)) parts.push(String(node.flags & ts.NodeFlags.BlockScoped));
  if (node.isTypeOnly) parts.push("type");
  ts.forEachChild(node, (child) => {
    parts.push(dump(child, node));
  });
  if (ts.isNumericLiteral(node)) return `Number:${Number(node.text)}`;
  return `${kind}(${joined(parts)})`;
}

// Text of an element: white space around line ends is one blank inside of the text, and nothing at its edges.
function text(written) {
  const lines = written.split("\n");
  const shown = lines
    .map((line, at) => (at ? line.trimStart() : line))
    .map((line, at) => (at < lines.length - 1 ? line.trimEnd() : line))
    .filter((line) => line);
  return `text:${shown.join(" ").replace(/\s+/g, " ")}`;
}

// Pieces of text that follow each other are one.
function joined(parts) {
  const found = [];
  for (const part of parts.filter((part) => part && part !== "text:")) {
    const last = found[found.length - 1];
    if (part.startsWith("text:") && last && last.startsWith("text:")) found[found.length - 1] = last + part.slice(5);
    else found.push(part);
  }
  return found.join(",");
}

// The outermost node that the piece of text is, or all outermost nodes within it.
function within(node, start, end, found) {
  const from = node.getStart();
  if (node.kind === ts.SyntaxKind.EndOfFileToken) return found;
  if (from >= start && node.end <= end && !ts.isSourceFile(node)) found.push(dump(node, node.parent));
  else if (node.end > start && from < end) {
    ts.forEachChild(node, (child) => {
      within(child, start, end, found);
    });
  }
  return found;
}

const orders = JSON.parse(require("fs").readFileSync(0, "utf-8"));
const files = new Map();
const trees = orders.map(({ path, text: source, start, end }) => {
  const key = path + "\0" + source;
  if (!files.has(key)) {
    const kind = /\.(ts|mts|cts)$/.test(path) ? ts.ScriptKind.TS : ts.ScriptKind.TSX;
    files.set(key, ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true, kind));
  }
  const file = files.get(key);
  return file.parseDiagnostics.length ? "" : within(file, start, end, []).join(";");
});
process.stdout.write(JSON.stringify(trees));
