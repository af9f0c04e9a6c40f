/**
 * OFAC's lists as CSV files without headers: the entries, their other names, the rest of long
 * remarks, and postal addresses, which nothing is compared with.
 */
import { csvLines, linesOf } from './csv-lines.ts'
import { joinRemarks, programsIn, readRemarks } from './ofac-remarks.ts'
import { EntriesInWork } from './read-list.ts'
import type { ListFault, ReadList } from './read-list.ts'

/** By what is in it. */
type OfacFiles = Record<'entries' | 'names' | 'remarks', OfacFile> & {
  addresses?: OfacFile
}
export type OfacFile = { name: string; content: string }

const COLUMNS = { entries: 12, names: 5, remarks: 2, addresses: 6 } as const
const NOTHING = /^\s*-0-\s*$/

type Work = { entries: EntriesInWork; faults: ListFault[] }

export function readOfacCsv(files: OfacFiles): ReadList {
  const work: Work = { entries: new EntriesInWork(), faults: [] }
  readEntries(work, files.entries)
  const known = new Set(work.entries.keys())
  for (const { key, fields, line } of linesIn(work, 'names', files.names)) {
    work.entries.addName(key, fields[3] ?? '')
    noteUnknown(work, { file: files.names.name, line, key }, known)
  }
  for (const { key, raw, line } of linesIn(work, 'remarks', files.remarks)) {
    const joined = joinRemarks(work.entries.remarksOf(key), raw[1] ?? '')
    work.entries.addRemark(key, joined.slice(work.entries.remarksOf(key).length))
    noteUnknown(work, { file: files.remarks.name, line, key }, known)
  }
  // What an entry is found by stands in the remarks as they are joined, so they are read last.
  for (const key of work.entries.keys()) readRemarks(work.entries, key, work.entries.remarksOf(key))
  if (files.addresses !== undefined) readAddresses(work, files.addresses, known)
  return { published: null, entries: work.entries.entries(), faults: work.faults }
}

/** Nobody is found by them, so what is wrong with one keeps no entry. */
function readAddresses(
  { entries, faults }: Work,
  file: OfacFile,
  known: ReadonlySet<string>,
): void {
  const place: Work = { entries, faults: [] }
  for (const { key, fields, line } of linesIn(place, 'addresses', file)) {
    const parts = fields.slice(2, 5).filter((part) => part !== '')
    if (parts.length > 0) entries.addRemark(key, ` [${parts.join(', ')}]`)
    noteUnknown(place, { file: file.name, line, key }, known)
  }
  faults.push(...place.faults.map(({ key: _key, ...fault }) => fault))
}

function readEntries(work: Work, file: OfacFile): void {
  for (const { key, fields, raw, line } of linesIn(work, 'entries', file)) {
    const [, name = '', type = '', programs = ''] = fields
    if (work.entries.has(key))
      work.faults.push({ file: file.name, line, key, reason: `entry ${key} stands there twice` })
    const entry = work.entries.of(key)
    entry.type = type === '' ? null : type.toLowerCase()
    entry.programs = programsIn(programs)
    work.entries.addName(key, name)
    if (!NOTHING.test(raw[11] ?? '')) work.entries.addRemark(key, raw[11] ?? '')
    if (name === '')
      work.faults.push({ file: file.name, line, key, reason: `entry ${key} has no name` })
  }
}

/** `raw`: with the blanks at both ends, which are part of remarks that were cut. */
function* linesIn({ faults }: Work, kind: keyof typeof COLUMNS, { name, content }: OfacFile) {
  const columns = COLUMNS[kind]
  for (const { line, text, fields: raw } of csvLines(linesOf(content), {
    delimiter: ',',
    columns,
    longest: 1,
  })) {
    const key = /^"?\s*(\d+)\s*"?\s*,/.exec(text)?.[1]
    const fields = raw?.map((field) => (NOTHING.test(field) ? '' : field.trim()))
    if (key !== undefined && raw !== undefined && fields !== undefined)
      yield { line, key, raw, fields }
    else {
      const reason =
        key === undefined
          ? 'it does not begin with the number of an entry'
          : `it has not ${columns} columns`
      faults.push({ file: name, line, reason, ...(key === undefined ? {} : { key }) })
    }
  }
}

/** Its names and addresses are compared with nevertheless. */
function noteUnknown(
  { faults }: Work,
  { file, line, key }: { file: string; line: number; key: string },
  known: ReadonlySet<string>,
): void {
  if (known.has(key)) return
  faults.push({ file, line, key, reason: `there is no readable entry ${key}` })
}
