/** Names that say nothing, types that let ids be swapped, tables of states that nobody uses. */
import ts from 'typescript'
import { CODE, lineOf, nodesOf, SERVICE } from './rule.ts'
import type { Rule } from './rule.ts'

export const NAME_RULES: readonly Rule[] = [
  {
    name: 'each',
    says: 'an argument is named after what it holds, not each',
    files: CODE,
    find: (source) =>
      [...nodesOf(source.tree())]
        .filter((node) => isDeclared(node) && node.name.getText() === 'each')
        .map((node) => ({ line: lineOf(source, node), what: node.getText().split('\n')[0] ?? '' })),
  },
  {
    name: 'workspace-string',
    says: 'a use case takes a Caller, or an id with its brand, and no bare workspace',
    files: SERVICE,
    find: (source) =>
      [...nodesOf(source.tree())]
        .filter(isBareWorkspace)
        .map((node) => ({ line: lineOf(source, node), what: node.getText() })),
  },
  {
    name: 'state-table',
    says: 'a transition goes through its table: move, moveFromAny, assertMove or canMove',
    files: SERVICE,
    find: (source, all) =>
      [...nodesOf(source.tree())].filter(isStateTable).flatMap((node) => {
        const name = node.name.getText()
        const used = new RegExp(`\\b(?:move|moveFromAny|assertMove|canMove)\\(\\s*${name}\\b`)
        const isUsed = all.some(({ file, text }) => SERVICE.test(file) && used.test(text))
        return isUsed ? [] : [{ line: lineOf(source, node), what: name }]
      }),
  },
]

/** `const X_MOVES: Moves<…> = …`. */
function isStateTable(node: ts.Node): node is ts.VariableDeclaration {
  return ts.isVariableDeclaration(node) && (node.type?.getText() ?? '').startsWith('Moves<')
}

function isDeclared(
  node: ts.Node,
): node is ts.ParameterDeclaration | ts.VariableDeclaration | ts.BindingElement {
  return ts.isParameter(node) || ts.isVariableDeclaration(node) || ts.isBindingElement(node)
}

/** `workspace: string` as a parameter, or as a field of an object that is one. */
function isBareWorkspace(node: ts.Node): boolean {
  if (ts.isPropertySignature(node) && !isInParameter(node)) return false
  return (
    (ts.isParameter(node) || ts.isPropertySignature(node)) &&
    node.name.getText() === 'workspace' &&
    node.type?.kind === ts.SyntaxKind.StringKeyword
  )
}

function isInParameter(node: ts.Node): boolean {
  for (let { parent } = node; parent !== undefined; { parent } = parent) {
    if (ts.isParameter(parent)) return true
    if (ts.isBlock(parent) || ts.isSourceFile(parent)) return false
  }
  return false
}
