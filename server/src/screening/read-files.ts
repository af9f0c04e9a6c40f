/** Which list some files are, by their names and by how they begin. */
import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { UsageError } from '../core/usage.ts'
import { decodeXml } from '../venues/index.ts'
import { EU_HEADER, readEuCsv } from './eu-csv.ts'
import type { ListName } from './lists.schema.ts'
import { readOfacCsv } from './ofac-csv.ts'
import type { OfacFile } from './ofac-csv.ts'
import { readOfacXml } from './ofac-xml.ts'
import type { ReadList } from './read-list.ts'

export type ListFile = { path: string; bytes: Uint8Array }
type FileFacts = { name: string; sha256: string; bytes: number }
export type RecognisedList = ReadList & {
  list: ListName
  /** Of the hashes of the files, in the order of their names. */
  sha256: string
  files: FileFacts[]
}

/** The names of OFAC's files, by list. */
const OFAC_FILES = {
  OFAC_SDN: {
    entries: 'sdn.csv',
    names: 'alt.csv',
    remarks: 'sdn_comments.csv',
    addresses: 'add.csv',
  },
  OFAC_CONSOLIDATED: {
    entries: 'cons_prim.csv',
    names: 'cons_alt.csv',
    remarks: 'cons_comments.csv',
    addresses: 'cons_add.csv',
  },
} as const
type OfacList = keyof typeof OFAC_FILES

/** Throws UsageError for files that are none of the lists, or only a part of one. */
export function readListFiles(files: readonly ListFile[]): RecognisedList {
  const facts = files
    .map(({ path, bytes }) => ({
      name: basename(path),
      sha256: createHash('sha256').update(bytes).digest('hex'),
      bytes: bytes.length,
    }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const sha256 = createHash('sha256')
    .update(facts.map((fact) => fact.sha256).join('\n'))
    .digest('hex')
  return { ...read(files), sha256, files: facts }
}

function read(files: readonly ListFile[]): ReadList & { list: ListName } {
  const texts = files.map(({ path, bytes }) => ({ name: basename(path), content: textOf(bytes) }))
  const [first, ...more] = texts
  if (first === undefined) throw new UsageError('it takes the files of a list')
  if (more.length === 0 && first.content.replace(/^\ufeff/, '').startsWith(EU_HEADER))
    return { list: 'EU_CONSOLIDATED', ...readEuCsv(first) }
  if (more.length === 0 && first.content.slice(0, 2_000).includes('<sdnList')) {
    const list = /^cons/i.test(first.name) ? 'OFAC_CONSOLIDATED' : 'OFAC_SDN'
    return { list, ...readOfacXml(first) }
  }
  const list = /^cons_/i.test(first.name) ? 'OFAC_CONSOLIDATED' : 'OFAC_SDN'
  return { list, ...readOfacCsv(ofacFiles(list, texts)) }
}

/** Without the rest of the remarks, addresses of coins would be missing. */
function ofacFiles(list: OfacList, texts: readonly OfacFile[]) {
  const names = OFAC_FILES[list]
  const found = new Map(texts.map((text) => [text.name.toLowerCase(), text]))
  const strangers = texts.filter(
    ({ name }) => !Object.values<string>(names).includes(name.toLowerCase()),
  )
  const [stranger] = strangers
  if (stranger !== undefined)
    throw new UsageError(
      `${stranger.name} is no list that it knows: it reads sdn.csv with alt.csv, ` +
        'sdn_comments.csv and add.csv, the same of the consolidated list (cons_prim.csv, …), ' +
        'SDN.XML, CONSOLIDATED.XML, and the consolidated list of the EU as CSV',
    )
  const needed = (name: string): OfacFile => {
    const file = found.get(name)
    if (file === undefined)
      throw new UsageError(
        `${name} is missing: ${names.entries}, ${names.names} and ${names.remarks} ` +
          'are one list, and are loaded together',
      )
    return file
  }
  const addresses = found.get(names.addresses)
  return {
    entries: needed(names.entries),
    names: needed(names.names),
    remarks: needed(names.remarks),
    ...(addresses === undefined ? {} : { addresses }),
  }
}

/** UTF-8, or what it declares; older files are in Windows-1252. */
function textOf(bytes: Uint8Array): string {
  if (Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '<?xml') return decodeXml(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
