/** What a house rule is, and what it looks at. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { ROOT } from '../../setup/setup.mjs'

/** One file. The tree is parsed when a rule first asks for it. */
export type Source = {
  /** Relative to the repository. */
  readonly file: string
  readonly text: string
  readonly lines: readonly string[]
  tree(): ts.SourceFile
}

export type Finding = { line: number; what: string }

export type Rule = {
  name: string
  /** The sentence that is printed with each breach. */
  says: string
  files: RegExp
  /** The rules themselves and their test hold examples of what it forbids. */
  examples?: true
  find(source: Source, all: readonly Source[]): Finding[]
}

export const CODE = /\.(ts|tsx|mjs)$/
export const SERVICE = /^server\/src\/.*(?<!\.(?:test|testing|fixture))\.ts$/

export function sourceOf(file: string, text: string): Source {
  let tree: ts.SourceFile | undefined
  return {
    file,
    text,
    lines: text.split('\n'),
    tree: () =>
      (tree ??= ts.createSourceFile(
        file,
        text,
        ts.ScriptTarget.Latest,
        true,
        file.endsWith('.tsx') ? ts.ScriptKind.TSX : undefined,
      )),
  }
}

export const readSource = (file: string): Source =>
  sourceOf(file, readFileSync(join(ROOT, file), 'utf8'))

/** Every node of the file, parents first. */
export function* nodesOf(root: ts.Node): Generator<ts.Node> {
  yield root
  const children: ts.Node[] = []
  root.forEachChild((child) => void children.push(child))
  for (const child of children) yield* nodesOf(child)
}

export function lineOf(source: Source, node: ts.Node): number {
  const tree = source.tree()
  return tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1
}
