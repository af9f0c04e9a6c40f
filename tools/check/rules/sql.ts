/** How SQL in templates is written, and what may stand in it. */
import ts from 'typescript'
import { CODE, nodesOf, SERVICE } from './rule.ts'
import type { Finding, Rule, Source } from './rule.ts'

/** `and` may stand beside the clause that it belongs to: between, case, join … on. */
const CLAUSE = new RegExp(
  [
    '(?<!distinct )\\bfrom\\b',
    '\\bdelete from\\b',
    '\\binsert into\\b',
    '(?<!for )(?<!for no key )(?<!do )\\bupdate\\b',
    '(?<!update )\\bset\\b(?! null| default)',
    '(?<!on )\\bconflict\\b',
    '\\b(?:order|group) by\\b',
    '\\b(?:select|where|having|limit|offset|returning|values|join|union|on conflict)\\b',
  ].join('|'),
  'g',
)

/** `state = 'PENDING'`, `status in ('PENDING', …)`, `state <> all(array['PENDING'])`. */
const STATE = new RegExp(
  [
    /\b(?:state|status)\s*/,
    /(?:=|<>|!=|in|not in|is distinct from)\s*/,
    /(?:any|all)?\s*\(?\s*(?:array\[)?\s*'[A-Z_]+'/,
  ]
    .map(({ source }) => source)
    .join(''),
)

export const SQL_RULES: readonly Rule[] = [
  {
    name: 'sql-clauses',
    says: 'SQL has one clause a line; a sub-select in parentheses may fill one',
    files: CODE,
    examples: true,
    find: (source) =>
      sqlLines(source)
        .filter(({ text }) => clausesIn(text) > 1)
        .map(({ line, text }) => ({ line, what: text.trim() })),
  },
  {
    name: 'sql-states',
    says: 'a state in SQL comes from its table: move(), or the list of states',
    files: SERVICE,
    find: (source) =>
      sqlLines(source)
        .filter(({ text }) => STATE.test(text))
        .map(({ line, text }) => ({ line, what: text.trim() })),
  },
  {
    name: 'sql-inserts',
    says: 'a row is inserted by insertRow of store/rows.ts',
    files: SERVICE,
    find: (source) =>
      sqlLines(source)
        .filter(({ text }) => /\binsert into\b/i.test(text))
        .map(({ line, text }) => ({ line, what: text.trim() })),
  },
]

/** The lines of all SQL templates, what is filled in replaced by `$`. */
function sqlLines(source: Source): (Finding & { text: string })[] {
  const tree = source.tree()
  return [...nodesOf(tree)].filter(isSql).flatMap((template) => {
    const first = tree.getLineAndCharacterOfPosition(template.getStart(tree)).line + 1
    const body = withoutHoles(template, tree)
    return body.split('\n').map((text, index) => ({ line: first + index, what: '', text }))
  })
}

/** A template tagged `sql`, or any whose text begins as a statement does. */
function isSql(node: ts.Node): node is ts.TemplateLiteral {
  if (ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
    if (ts.isTaggedTemplateExpression(node.parent) && node.parent.tag.getText() === 'sql')
      return true
    return /^`\s*(?:select|insert into|update \w+\s+set|delete from|with \w+ as)\b/.test(
      node.getText(),
    )
  }
  return false
}

/**
 * Keeps the line breaks of what is filled in, so that lines are counted right, and a literal word
 * as if it stood in the text.
 */
function withoutHoles(template: ts.TemplateLiteral, tree: ts.SourceFile): string {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return template.getText(tree)
  return [
    template.head.getText(tree).slice(0, -2),
    ...template.templateSpans.map(({ expression, literal }) => {
      const breaks = tree.text
        .slice(expression.pos, literal.getStart(tree))
        .replaceAll(/[^\n]/g, '')
      const hole = ts.isStringLiteral(expression) ? expression.getText(tree) : '$'
      return `${hole}${breaks}${literal.getText(tree).replaceAll(/^\}|\$\{$/g, '')}`
    }),
  ].join('')
}

/** Clauses that begin on the line outside of parentheses that it opens itself. */
export function clausesIn(line: string): number {
  let depth = 0
  let outside = ''
  for (const char of line.replaceAll(/'[^']*'|"[^"]*"|--.*/g, "''")) {
    if (char === '(') depth += 1
    if (depth === 0) outside += char
    if (char === ')' && depth > 0) depth -= 1
  }
  return [...outside.toLowerCase().replaceAll(/\s+/g, ' ').matchAll(CLAUSE)].length
}
