/**
 * How long and how wide things may be. The linter knows most of these limits too. They are counted
 * here so that a `describe` is no function, and so that one list holds all exceptions.
 */
import ts from 'typescript'
import { CODE, lineOf, nodesOf } from './rule.ts'
import type { Finding, Rule, Source } from './rule.ts'

const LIMITS = { columns: 100, functionLines: 70, parameters: 4, fileLines: 400 }

/** Calls whose callback groups tests or sets them up as one. */
const GROUPS = new Set(['describe', 'suite'])

/** Applied history is not edited. */
const BREAKABLE = /^(?!server\/migrations\/).*\.(ts|tsx|mjs|sql|css|html)$/

export const LIMIT_RULES: readonly Rule[] = [
  {
    name: 'line-length',
    says: `a line has at most ${LIMITS.columns} columns`,
    files: BREAKABLE,
    find: ({ lines }) =>
      lines.flatMap((line, index) =>
        [...line].length > LIMITS.columns ? [{ line: index + 1, what: line.trim() }] : [],
      ),
  },
  {
    name: 'file-length',
    says: `a file has at most ${LIMITS.fileLines} lines`,
    files: CODE,
    find: ({ lines }) => {
      const count = lines.at(-1) === '' ? lines.length - 1 : lines.length
      return count > LIMITS.fileLines ? [{ line: count, what: `${count} lines` }] : []
    },
  },
  {
    name: 'function-length',
    says: `a function has at most ${LIMITS.functionLines} lines; a describe may have more`,
    files: CODE,
    find: longFunctions,
  },
  {
    name: 'parameters',
    says: `a function has at most ${LIMITS.parameters} parameters; more become an options object`,
    files: CODE,
    find: (source) =>
      [...nodesOf(source.tree())]
        .filter(isFunction)
        .filter(({ parameters }) => parameters.length > LIMITS.parameters)
        .map((node) => ({ line: lineOf(source, node), what: nameOf(node) })),
  },
  {
    name: 'nested-ternary',
    says: 'a ternary stands in no other ternary',
    files: CODE,
    find: (source) =>
      [...nodesOf(source.tree())].filter(isNestedTernary).map((node) => ({
        line: lineOf(source, node),
        what: node.getText(source.tree()).split('\n')[0] ?? '',
      })),
  },
]

type FunctionNode = ts.FunctionLikeDeclaration

function isFunction(node: ts.Node): node is FunctionNode {
  return ts.isFunctionLike(node) && 'body' in node && node.body !== undefined
}

function longFunctions(source: Source): Finding[] {
  const tree = source.tree()
  const lineAt = (position: number) => tree.getLineAndCharacterOfPosition(position).line
  return [...nodesOf(tree)]
    .filter(isFunction)
    .filter((node) => !isGroup(node))
    .map((node) => ({ node, lines: lineAt(node.end) - lineAt(node.getStart(tree)) + 1 }))
    .filter(({ lines }) => lines > LIMITS.functionLines)
    .map(({ node, lines }) => ({
      line: lineOf(source, node),
      what: `${nameOf(node)}: ${lines} lines`,
    }))
}

/** The callback of `describe('…', () => …)`. */
function isGroup(node: FunctionNode): boolean {
  const { parent } = node
  if (!ts.isCallExpression(parent)) return false
  const called = ts.isPropertyAccessExpression(parent.expression)
    ? parent.expression.expression
    : parent.expression
  return ts.isIdentifier(called) && GROUPS.has(called.text)
}

function isNestedTernary(node: ts.Node): boolean {
  if (!ts.isConditionalExpression(node)) return false
  let { parent } = node
  while (ts.isParenthesizedExpression(parent)) ({ parent } = parent)
  return ts.isConditionalExpression(parent)
}

/** The function's own name, or the name of what it is assigned to. */
function nameOf(node: FunctionNode): string {
  const named = node.name ?? ('name' in node.parent ? (node.parent.name as ts.Node) : undefined)
  return named !== undefined && ts.isIdentifier(named) ? named.text : 'a function'
}
