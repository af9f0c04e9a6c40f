import type { CustomerId, ErasureId } from '../../core/ids.ts'
import type { Moves } from '../../core/moves.ts'
import { closed, id, nullable, oneOf, record, requiredText, time } from '../../http/index.ts'
import type { Static } from '../../http/index.ts'

const ERASURE_STATES = ['RUNNING', 'DONE'] as const
type ErasureState = (typeof ERASURE_STATES)[number]
export const ERASURE_MOVES: Moves<ErasureState> = { RUNNING: ['DONE'], DONE: [] }

const REASON = 'Why, for the record. It is kept: name no person in it'

export const ErasureRecord = record('Erasure', {
  id: id<ErasureId>(),
  state: oneOf(ERASURE_STATES, 'RUNNING: a task works through the records of the customer'),
  customer_id: id<CustomerId>(),
  reason: requiredText(500, REASON),
  completed_at: nullable(time()),
})
export type Erasure = Static<typeof ErasureRecord>

export const EraseCustomer = closed(
  { reason: requiredText(500, REASON) },
  { title: 'EraseCustomer' },
)
export type EraseCustomerBody = Static<typeof EraseCustomer>
