/**
 * The consolidated list of the European Union as CSV (`csvFullSanctionsList_1_1`), with a header
 * and semicolons. One entry covers many lines: each brings a further name, address or document.
 */
import { csvLines, fieldsOf, linesOf } from './csv-lines.ts'
import { EntriesInWork } from './read-list.ts'
import type { ListFault, ReadList } from './read-list.ts'

export const EU_HEADER = 'fileGenerationDate;Entity_LogicalId;'
/** Remarks go over several lines. */
const LONGEST_RECORD_LINES = 40

export function readEuCsv({ name, content }: { name: string; content: string }): ReadList {
  const entries = new EntriesInWork()
  const faults: ListFault[] = []
  const lines = linesOf(content)
  const header = fieldsOf(lines[0] ?? '', ';') ?? []
  const place = new Map(header.map((column, index) => [column.trim(), index]))
  let published: string | null = null
  const records = csvLines(lines, {
    delimiter: ';',
    columns: header.length,
    longest: LONGEST_RECORD_LINES,
  })
  for (const { line, text, fields } of records) {
    if (line === 1) continue
    const field = (column: string) => fields?.[place.get(column) ?? -1]?.trim() ?? ''
    const key = field('Entity_LogicalId')
    if (!/^\d+$/.test(key)) {
      const known = /^[^;]*;"?(\d+)"?;/.exec(text)?.[1]
      const reason =
        fields === undefined
          ? `it has not the ${header.length} columns of the header`
          : 'it has no number of an entry'
      faults.push({ file: name, line, reason, ...(known === undefined ? {} : { key: known }) })
      continue
    }
    published ??= dayOf(field('fileGenerationDate'))
    readLine(entries, key, field)
  }
  return { published, entries: entries.entries(), faults }
}

function readLine(entries: EntriesInWork, key: string, field: (column: string) => string): void {
  const entry = entries.of(key)
  entry.type ??= field('Entity_SubjectType_ClassificationCode') || null
  const programme = field('Entity_Regulation_Programme')
  if (programme !== '' && !entry.programs.includes(programme)) entry.programs.push(programme)
  const whole = field('NameAlias_WholeName')
  const parts = ['FirstName', 'MiddleName', 'LastName'].map((part) => field(`NameAlias_${part}`))
  entries.addName(key, whole === '' ? parts.join(' ') : whole)
  const remark = field('Entity_Remark')
  if (remark !== '' && !entries.remarksOf(key).includes(remark))
    entries.addRemark(key, `${remark} `)
}

/** 05/08/2026 or 2026-08-05. */
function dayOf(text: string): string | null {
  const [, day, month, year] = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(text) ?? []
  if (year !== undefined) return `${year}-${month}-${day}`
  return /^\d{4}-\d{2}-\d{2}/.exec(text)?.[0] ?? null
}
