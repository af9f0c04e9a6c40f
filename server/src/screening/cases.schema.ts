/** What was screened, with what, and what people decided about hits. */
import { SCREENING_LISTS } from '../access/index.ts'
import type { Moves } from '../core/moves.ts'
import {
  asset,
  closed,
  currentVersion,
  id,
  integer,
  nullable,
  oneOf,
  optional,
  positiveText,
  record,
  requiredText,
  text,
  time,
  Type,
} from '../http/index.ts'
import type { Static } from '../http/index.ts'

export const CASE_STATES = ['OPEN', 'CLEARED', 'REFUSED'] as const
type CaseState = (typeof CASE_STATES)[number]

/** What is found later is another case. Only a deposit, which is still there, is released later. */
export const CASE_MOVES: Moves<CaseState> = {
  OPEN: ['CLEARED', 'REFUSED'],
  CLEARED: [],
  REFUSED: ['CLEARED'],
}

const SCREENED_KINDS = ['WITHDRAWAL', 'DEPOSIT'] as const
export type ScreenedKind = (typeof SCREENED_KINDS)[number]

const texts = (description: string) => Type.Array(text(1_000), { description })
const SubjectShape = closed(
  {
    names: texts('Of whoever gets the money; of a deposit also of who sent it'),
    addresses: texts('Of coins, or IBANs'),
    bics: texts('Codes of banks'),
  },
  { title: 'ScreeningSubject', description: 'What was looked for' },
)
/** What is looked for. */
export type Subject = Static<typeof SubjectShape>

const listName = () => oneOf(SCREENING_LISTS)
const number = (description: string) => integer(1, 1_000_000_000, description)
const BasisShape = closed({
  list: listName(),
  number: number('Of the version of the list'),
  sha256: text(64, 'Of its files'),
})
const MatchShape = closed({
  list: listName(),
  list_version: number('With which it was found'),
  entry: text(200, "The list's own number of the entry"),
  entry_since: number('The version of the list since which the entry says what it says'),
  kind: oneOf(['NAME', 'ADDRESS', 'BIC'], 'What was the same'),
  listed: text(1_000, 'As the list has it'),
  names: Type.Array(text(500), { description: 'Of the entry' }),
  type: nullable(text(200)),
  programs: Type.Array(text(200)),
  remarks: nullable(text(4_000, 'What the list says further')),
})
export type Basis = Static<typeof BasisShape>
export type Match = Static<typeof MatchShape>

const screened = () => ({
  record_kind: oneOf(SCREENED_KINDS),
  record_id: id(),
})

export const ScreeningRecord = record('Screening', {
  id: id(),
  ...screened(),
  outcome: oneOf(['CLEAR', 'HIT']),
  subject: SubjectShape,
  basis: Type.Array(BasisShape, { description: 'With which versions of the lists' }),
  matches: Type.Array(MatchShape),
  case_id: nullable(id('The case that it opened or belongs to')),
})
export type Screening = Static<typeof ScreeningRecord>

export const ScreeningCaseRecord = record('ScreeningCase', {
  id: id(),
  state: oneOf(CASE_STATES),
  ...screened(),
  asset: asset(),
  quantity: positiveText('Of the movement'),
  subject: SubjectShape,
  matches: Type.Array(MatchShape, { description: 'What was found, at the last screening' }),
  decided_by: nullable(text(500)),
  decided_at: nullable(time()),
  reason: nullable(text(4_100, 'Why it was decided so; of a release, after why it was refused')),
})
export type ScreeningCase = Static<typeof ScreeningCaseRecord>

export const DecideCase = closed(
  {
    decision: oneOf(
      ['CLEAR', 'REFUSE'],
      'CLEAR: it is somebody else, or may be had, and the movement goes on. REFUSE: it does not',
    ),
    reason: requiredText(2_000, 'Why: how the person was told apart, for example'),
    version: optional(currentVersion()),
  },
  { title: 'DecideScreeningCase' },
)
export type DecideCaseBody = Static<typeof DecideCase>
