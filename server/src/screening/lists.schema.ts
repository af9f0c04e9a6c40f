/** Lists of sanctions that the operator loads, each in its versions. */
import { SCREENING_LISTS } from '../access/index.ts'
import type { ScreeningListId } from '../core/ids.ts'
import { closed, flag, id, integer, nullable, oneOf, record, text, Type } from '../http/index.ts'
import type { Static } from '../http/index.ts'

export const LIST_NAMES = SCREENING_LISTS
export type ListName = (typeof LIST_NAMES)[number]

/** Of the faults that are kept; all are counted. */
export const MAXIMUM_FAULTS = 500

const count = (description: string) => integer(0, 100_000_000, description)
const hash = () => text(64, 'SHA-256, in hexadecimal digits')

export const ScreeningListRecord = record('ScreeningList', {
  id: id<ScreeningListId>(),
  list: oneOf(LIST_NAMES),
  number: integer(1, 1_000_000_000, 'Counts the versions of a list'),
  current: flag('What movements are screened with; the former versions are kept'),
  published: nullable(text(10, 'The day of the list, where its files say it')),
  sha256: text(64, 'Of the hashes of its files, in hexadecimal digits'),
  files: Type.Array(closed({ name: text(200), sha256: hash(), bytes: count('Of the file') }), {
    description: 'What it was read from',
  }),
  entries: count('Persons, companies, vessels and others'),
  terms: count('Names, addresses of coins and codes of banks by which they are found'),
  added: count('Entries that the version before did not have'),
  changed: count('Entries that say something else than before'),
  removed: count('Entries that are no longer on the list'),
  kept: count('Entries that cannot be read in this version, and stay as they were'),
  fault_count: count('Records that could not be read'),
  faults: Type.Array(
    closed({
      file: text(200),
      line: count('From one'),
      reason: text(500),
    }),
    { description: `The first ${MAXIMUM_FAULTS} of them` },
  ),
})
export type ScreeningList = Static<typeof ScreeningListRecord>
