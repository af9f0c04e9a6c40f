/** Exports that nobody imports. Tests count as somebody. */
import { dirname, join } from 'node:path/posix'
import ts from 'typescript'
import { CODE, lineOf, nodesOf } from './rule.ts'
import type { Finding, Rule, Source } from './rule.ts'

/** A file of which all is used: by `import * as`, `import()` or `export *`. */
const ALL = '*'

/** Packages of the workspace, by the file that each exports. */
const PACKAGES: Readonly<Record<string, string>> = { '@kontor/client': 'client/src/index.ts' }

/** Read by programs that load them by path. */
const LOADED_BY_PATH = /^(console\/vite\.config\.ts|client\/src\/generated\.ts)$/

export const EXPORT_RULES: readonly Rule[] = [
  {
    name: 'unused-export',
    says: 'an export that nobody imports is none',
    files: CODE,
    find: (source, all) => unusedExports(source, importsOf(all)),
  },
]

const known = new WeakMap<readonly Source[], Map<string, Set<string>>>()

/** File → names that others import from it. */
function importsOf(all: readonly Source[]): Map<string, Set<string>> {
  const before = known.get(all)
  if (before !== undefined) return before
  const imports = new Map<string, Set<string>>()
  for (const source of all.filter(({ file }) => CODE.test(file)))
    for (const { from, name } of importsIn(source))
      imports.set(from, (imports.get(from) ?? new Set()).add(name))
  known.set(all, imports)
  return imports
}

function* importsIn(source: Source): Generator<{ from: string; name: string }> {
  const fileOf = (specifier: string): string =>
    PACKAGES[specifier] ?? join(dirname(source.file), specifier)
  for (const node of nodesOf(source.tree())) {
    if (!ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) continue
    if (node.moduleSpecifier === undefined || !ts.isStringLiteral(node.moduleSpecifier)) continue
    const from = fileOf(node.moduleSpecifier.text)
    for (const name of namesIn(node)) yield { from, name }
  }
  // Also types in comments of plain JavaScript.
  for (const [, specifier = ''] of source.text.matchAll(/\bimport\(\s*'([^']+)'/g))
    yield { from: fileOf(specifier), name: ALL }
}

function namesIn(node: ts.ImportDeclaration | ts.ExportDeclaration): string[] {
  if (ts.isExportDeclaration(node)) {
    if (node.exportClause === undefined || !ts.isNamedExports(node.exportClause)) return [ALL]
    return node.exportClause.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
  }
  const { name, namedBindings } = node.importClause ?? {}
  const names = name === undefined ? [] : ['default']
  if (namedBindings === undefined) return names
  if (ts.isNamespaceImport(namedBindings)) return [...names, ALL]
  const named = namedBindings.elements.map((element) => element.propertyName ?? element.name)
  return [...names, ...named.map(({ text }) => text)]
}

function unusedExports(source: Source, imports: Map<string, Set<string>>): Finding[] {
  const used = imports.get(source.file)
  if (used?.has(ALL) === true || LOADED_BY_PATH.test(source.file)) return []
  return [...exportsOf(source)].filter(({ what }) => used?.has(what) !== true)
}

function* exportsOf(source: Source): Generator<Finding> {
  for (const statement of source.tree().statements) {
    const line = lineOf(source, statement)
    if (ts.isExportDeclaration(statement)) {
      const { exportClause } = statement
      if (exportClause !== undefined && ts.isNamedExports(exportClause))
        for (const { name } of exportClause.elements)
          yield { line: lineOf(source, name), what: name.text }
    }
    if (!ts.canHaveModifiers(statement)) continue
    const modifiers = ts.getModifiers(statement)?.map(({ kind }) => kind) ?? []
    if (!modifiers.includes(ts.SyntaxKind.ExportKeyword)) continue
    if (modifiers.includes(ts.SyntaxKind.DefaultKeyword)) continue
    for (const what of declaredIn(statement)) yield { line, what }
  }
}

function declaredIn(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name)
        ? [name.text]
        : name.elements.flatMap((element) =>
            ts.isBindingElement(element) ? [element.name.getText()] : [],
          ),
    )
  const { name } = statement as ts.DeclarationStatement
  return name === undefined ? [] : [name.getText()]
}
