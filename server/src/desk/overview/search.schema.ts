import { closed, flag, id, nullable, text, time, oneOf } from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { RECORD_KINDS } from './kinds.ts'

export const MINIMUM_SEARCH = 2
export const MAXIMUM_HITS = 100

export const HitShape = closed(
  {
    kind: oneOf(RECORD_KINDS),
    id: id(),
    title: text(1000),
    subtitle: nullable(text(2000)),
    state: nullable(text()),
    at: nullable(time('When it was created or happened')),
    matched_field: text(500, 'E.g. id, transaction_hash, reference_text, quantity'),
    matched_text: text(1000, 'What was found there, in the form in which it is searched'),
    exact: flag('The whole field, or its rest from a word on, equals the query'),
    parent: nullable(closed({ kind: text(500, 'E.g. execution, for an order'), id: id() })),
  },
  { title: 'SearchHit' },
)
export type Hit = Static<typeof HitShape>
