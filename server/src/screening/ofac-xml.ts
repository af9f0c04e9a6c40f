/** OFAC's lists as XML (`sdnList`). Each entry is read by itself: a broken one stops no other. */
import { all, parseXml, text, UnreadableMessage } from '../venues/index.ts'
import type { Element } from '../venues/index.ts'
import { readRemarks } from './ofac-remarks.ts'
import { EntriesInWork } from './read-list.ts'
import type { ListFault, ReadList } from './read-list.ts'

const COIN_ADDRESS = /^Digital Currency Address - ([A-Za-z0-9]{2,10})$/
const BEGIN = '<sdnEntry>'
const END = '</sdnEntry>'
const PUBLISHED = /<Publish_Date>\s*(\d{2})\/(\d{2})\/(\d{4})\s*<\/Publish_Date>/
const UID = /<uid>\s*(\d+)\s*<\/uid>/

export function readOfacXml({ name, content }: { name: string; content: string }): ReadList {
  const entries = new EntriesInWork()
  const faults: ListFault[] = []
  for (const { xml, line } of entriesIn(content)) {
    const key = UID.exec(xml)?.[1]
    try {
      readEntry(entries, parseXml(xml))
    } catch (error) {
      if (!(error instanceof UnreadableMessage)) throw error
      faults.push({ file: name, line, reason: error.message, ...(key ? { key } : {}) })
    }
  }
  const [, month, day, year] = PUBLISHED.exec(content) ?? []
  const published = year === undefined ? null : `${year}-${month}-${day}`
  return { published, entries: entries.entries(), faults }
}

/** From one beginning to the next, so that an entry without an end takes no other with it. */
function* entriesIn(content: string): Generator<{ xml: string; line: number }> {
  let line = 1
  let counted = 0
  for (let from = content.indexOf(BEGIN); from >= 0;) {
    const next = content.indexOf(BEGIN, from + BEGIN.length)
    const whole = content.slice(from, next < 0 ? content.length : next)
    const end = whole.indexOf(END)
    line += content.slice(counted, from).split('\n').length - 1
    counted = from
    yield { xml: end < 0 ? whole : whole.slice(0, end + END.length), line }
    from = next
  }
}

function readEntry(entries: EntriesInWork, entry: Element): void {
  const key = text(entry, 'uid')
  if (key === null || !/^\d+$/.test(key)) throw new UnreadableMessage('the entry has no uid')
  if (entries.has(key)) throw new UnreadableMessage(`entry ${key} stands there twice`)
  const names = [entry, ...all(entry, 'akaList', 'aka')].map(nameOf)
  const remarks = text(entry, 'remarks')
  const programs = all(entry, 'programList', 'program').map((program) => program.text)
  const type = text(entry, 'sdnType')
  const ids = all(entry, 'idList', 'id').map((id) => ({
    type: text(id, 'idType') ?? '',
    number: text(id, 'idNumber') ?? '',
  }))
  const made = entries.of(key)
  made.type = type === null ? null : type.toLowerCase()
  made.programs = programs.filter((program) => program !== '')
  for (const name of names) entries.addName(key, name)
  for (const { type: idType, number } of ids) {
    const kind = COIN_ADDRESS.exec(idType)?.[1]
    if (kind !== undefined && number !== '')
      entries.addAddress(key, { kind: kind.toUpperCase(), address: number })
    if (idType === 'SWIFT/BIC' && number !== '')
      entries.addAddress(key, { kind: 'BIC', address: number })
  }
  if (remarks !== null) {
    entries.addRemark(key, remarks)
    readRemarks(entries, key, remarks)
  }
}

const nameOf = (element: Element): string =>
  [text(element, 'lastName'), text(element, 'firstName')].filter((part) => part !== null).join(', ')
