/** Which texts the code of the console says, by its syntax tree. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { ENGLISH } from './english.ts'

const SOURCES = join(import.meta.dirname, '..')
const ELSEWHERE = /\.test\.|\.testing\.|floors|^language\//

const files = globSync('**/*.{ts,tsx}', { cwd: SOURCES })
  .filter((file) => !ELSEWHERE.test(file))
  .map((file) =>
    ts.createSourceFile(
      file,
      readFileSync(join(SOURCES, file), 'utf8'),
      ts.ScriptTarget.Latest,
      true,
      file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS,
    ),
  )

/** The texts that an expression can be; none where it is made while the page runs. */
function textsOf(node: ts.Node | undefined): string[] {
  if (node === undefined) return []
  if (ts.isStringLiteralLike(node)) return [node.text]
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return textsOf(node.expression)
  if (ts.isJsxExpression(node)) return textsOf(node.expression)
  if (ts.isConditionalExpression(node))
    return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)]
  if (!ts.isBinaryExpression(node)) return []
  return textsOf(node.left).flatMap((left) => textsOf(node.right).map((right) => left + right))
}

function keysOf(node: ts.Node): string[] {
  if (ts.isCallExpression(node) && node.expression.getText() === 't') {
    const [context] = contextsOf(node.arguments[1])
    return textsOf(node.arguments[0]).map((text) =>
      context === undefined ? text : `${text}_${context}`,
    )
  }
  if (ts.isJsxAttribute(node) && node.name.getText() === 'i18nKey') return textsOf(node.initializer)
  // A table of keys says so.
  const isTable =
    ts.isVariableStatement(node) && node.getFullText().includes('/** Keys of texts. */')
  return isTable ? textsIn(node) : []
}

/** `{ context: 'verb' }`: which of the words that German has for this one. */
const contextsOf = (values: ts.Node | undefined): string[] =>
  values !== undefined && ts.isObjectLiteralExpression(values)
    ? values.properties.flatMap((property) =>
        ts.isPropertyAssignment(property) && property.name.getText() === 'context'
          ? textsOf(property.initializer)
          : [],
      )
    : []

function textsIn(node: ts.Node): string[] {
  const own = ts.isPropertyAssignment(node) ? textsOf(node.initializer) : []
  return [...own, ...childrenOf(node).flatMap(textsIn)]
}

function childrenOf(node: ts.Node): ts.Node[] {
  const children: ts.Node[] = []
  ts.forEachChild(node, (child) => {
    children.push(child)
  })
  return children
}

const everyNode = (node: ts.Node): ts.Node[] => [node, ...childrenOf(node).flatMap(everyNode)]

/** Every key, and the singular of those that have one. */
export function keys(): ReadonlySet<string> {
  const found = files.flatMap((file) => everyNode(file).flatMap(keysOf))
  return new Set(found.flatMap((key) => (`${key}_one` in ENGLISH ? [key, `${key}_one`] : [key])))
}

const SPOKEN = /^(label|title|placeholder|aria-label|extra|okText|cancelText|description|message)$/
const isText = (text: string): boolean => /[a-z]{2}/.test(text) && text.trim() !== 'Kontor'

/** The text of an element, or of an attribute that people read. */
function spokenIn(node: ts.Node): string[] {
  if (ts.isJsxText(node)) return [node.text]
  return ts.isJsxAttribute(node) && SPOKEN.test(node.name.getText())
    ? textsOf(node.initializer)
    : []
}

/** What a person would read in English whatever the language: `list/grid.tsx: Sort by`. */
export function textsBeside(): string[] {
  return files.flatMap((file) =>
    everyNode(file)
      .flatMap(spokenIn)
      .filter(isText)
      .map((text) => `${file.fileName}: ${text.trim()}`),
  )
}
