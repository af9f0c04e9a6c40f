/** The travel-rule data that somebody has given for a transfer. Later ones take their place. */
import {
  closed,
  flag,
  id,
  nullable,
  oneOf,
  optional,
  record,
  refusedForm,
  text,
  Type,
} from '../http/index.ts'
import type { Static } from '../http/index.ts'
import { Ivms101Draft, Ivms101Of2020, Ivms101Of2023 } from './ivms101.schema.ts'

const RECORD_KINDS = ['WITHDRAWAL'] as const

export const TravelRuleDataRecord = record('TravelRuleData', {
  id: id(),
  record_kind: oneOf(RECORD_KINDS),
  record_id: id('The withdrawal'),
  ivms101_2020: nullable(Ivms101Of2020),
  ivms101_2023: nullable(Ivms101Of2023),
})
export type TravelRuleData = Static<typeof TravelRuleDataRecord>

const VERSIONS = ['ivms101_2020', 'ivms101_2023'] as const

export const GiveTravelRuleData = closed(
  { ivms101_2020: optional(Ivms101Of2020), ivms101_2023: optional(Ivms101Of2023) },
  {
    title: 'GiveTravelRuleData',
    description: 'In one of the two versions of IVMS 101',
    'x-refused': [refusedForm({ having: VERSIONS }), refusedForm({ lacking: VERSIONS })],
  },
)
export type GiveTravelRuleDataBody = Static<typeof GiveTravelRuleData>

const texts = (description: string) => Type.Array(text(1_000), { description })

export const TravelRuleState = closed(
  {
    required: flag('It is not sent before the data are complete'),
    missing: texts('What is missing of the data that count; empty: nothing'),
    data: Type.Array(TravelRuleDataRecord, {
      description: 'All that was given, the newest first: that one counts',
    }),
    draft: Ivms101Draft,
    draft_missing: texts('What the records of customers do not have'),
  },
  { title: 'TravelRuleState' },
)
export type TravelRuleState = Static<typeof TravelRuleState>
