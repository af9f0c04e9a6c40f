/** CSV (RFC 4180): read, also with semicolons, as some spreadsheets write it, and written. */

type CsvRow = { line: number; cells: string[] }

/** Rows without text are left out. Throws where a quote is never closed. */
export function readCsv(text: string): CsvRow[] {
  const plain = text.replace(/^\uFEFF/, '').replaceAll(/\r\n?/g, '\n')
  const [head = ''] = plain.split('\n', 1)
  const separator = head.includes(';') && !head.includes(',') ? ';' : ','
  const rows: CsvRow[] = []
  let line = 1
  let row: CsvRow = { line, cells: [] }
  let cell = ''
  let quoted = false
  const endCell = () => {
    row.cells.push(cell.trim())
    cell = ''
  }
  for (let at = 0; at <= plain.length; at += 1) {
    const character = plain[at]
    if (character === undefined || (character === '\n' && !quoted)) {
      if (quoted) throw new Error(`line ${row.line}: a quote is never closed`)
      endCell()
      if (row.cells.some((one) => one !== '')) rows.push(row)
      line += 1
      row = { line, cells: [] }
    } else if (character === '"' && quoted && plain[at + 1] === '"') {
      cell += '"'
      at += 1
    } else if (character === '"' && (quoted || cell.trim() === '')) quoted = !quoted
    else if (character === separator && !quoted) endCell()
    else {
      if (character === '\n') line += 1
      cell += character
    }
  }
  return rows
}

/**
 * A cell as it is written. A text that a spreadsheet would run as a formula gets a leading
 * apostrophe; numbers stay as they are.
 */
export function csvField(value: unknown): string {
  if (value === null || value === undefined) return ''
  const plain = typeof value === 'string' ? value : JSON.stringify(value)
  const isFormula = /^[=+@\t\r]/.test(plain) || /^-(?![0-9.]+$)/.test(plain)
  const text = isFormula ? `'${plain}` : plain
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
