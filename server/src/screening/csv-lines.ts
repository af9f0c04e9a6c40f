/**
 * Lines of the CSV files of public lists. They are written loosely: a quotation mark may stand
 * inside a field, and a field may go over several lines. A line that cannot be read is told, and
 * the next one is read.
 */

/** `line` counts from one. `fields` is absent where it cannot be read; `text` is the line then. */
type CsvLine = { line: number; fields?: string[]; text: string }

/** `longest`: how many lines a record may take. */
type Dialect = { delimiter: ',' | ';'; columns: number; longest: number }

/** Ends files that old systems have written. */
const END_OF_FILE = '\u001a'

export const linesOf = (content: string): string[] =>
  content.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)

export function* csvLines(lines: readonly string[], dialect: Dialect): Generator<CsvLine> {
  let at = 0
  while (at < lines.length) {
    const text = lines[at] ?? ''
    const line = at + 1
    at += 1
    if (text.trim() === '' || text.trim() === END_OF_FILE) continue
    const found = recordAt(lines, line - 1, dialect)
    if (found === undefined) yield { line, text }
    else {
      yield { line, text, fields: found.fields }
      at += found.over
    }
  }
}

/** Over as few lines as it takes. Undefined where no number of lines makes a whole record. */
function recordAt(
  lines: readonly string[],
  at: number,
  { delimiter, columns, longest }: Dialect,
): { fields: string[]; over: number } | undefined {
  for (let over = 0; over < longest && at + over < lines.length; over += 1) {
    const fields = fieldsOf(lines.slice(at, at + over + 1).join('\n'), delimiter)
    if (fields !== undefined) return fields.length === columns ? { fields, over } : undefined
  }
  return undefined
}

/** Undefined while a field has not ended. */
export function fieldsOf(text: string, delimiter: string): string[] | undefined {
  const fields: string[] = []
  let from = 0
  for (;;) {
    const quoted = text[from] === '"'
    const end = quoted ? endOfQuoted(text, from, delimiter) : endOfPlain(text, from, delimiter)
    if (end === undefined) return undefined
    const field = text.slice(from, end)
    fields.push(quoted ? field.trimEnd().slice(1, -1).replaceAll('""', '"') : field)
    if (end === text.length) return fields
    from = end + 1
  }
}

function endOfPlain(text: string, from: number, delimiter: string): number {
  const end = text.indexOf(delimiter, from)
  return end < 0 ? text.length : end
}

/** A mark that no delimiter follows belongs to the field. */
function endOfQuoted(text: string, from: number, delimiter: string): number | undefined {
  let at = text.indexOf('"', from + 1)
  while (at >= 0) {
    const rest = /^[ \t]*/.exec(text.slice(at + 1, at + 9))?.[0].length ?? 0
    const end = at + 1 + rest
    if (end >= text.length || text[end] === delimiter) return end
    at = text.indexOf('"', at + (text[at + 1] === '"' ? 2 : 1))
  }
  return undefined
}
