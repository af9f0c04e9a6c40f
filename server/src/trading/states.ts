/** The states of quotes, executions and orders, and the moves between them. */
import { isFinal, statesOf } from '../core/moves.ts'
import type { Moves } from '../core/moves.ts'
import { stateIn } from '../store/states.ts'
import type { OrderState } from '../venues/index.ts'

export const QUOTE_STATES = ['ACTIVE', 'ACCEPTED', 'EXPIRED', 'CANCELED'] as const
export type QuoteState = (typeof QUOTE_STATES)[number]

export const QUOTE_MOVES: Moves<QuoteState> = {
  ACTIVE: ['ACCEPTED', 'EXPIRED', 'CANCELED'],
  ACCEPTED: [],
  EXPIRED: [],
  CANCELED: [],
}

export const EXECUTION_STATES = [
  'WAITING_FOR_TRIGGER',
  'PROCESSING',
  'CANCELING',
  'UNKNOWN',
  'DONE',
  'CANCELED',
  'EXPIRED',
  'FAILED',
  'REJECTED',
] as const
export type ExecutionState = (typeof EXECUTION_STATES)[number]

export const EXECUTION_MOVES: Moves<ExecutionState> = {
  WAITING_FOR_TRIGGER: ['PROCESSING', 'CANCELING', 'CANCELED', 'EXPIRED', 'FAILED', 'UNKNOWN'],
  PROCESSING: ['DONE', 'CANCELING', 'CANCELED', 'EXPIRED', 'FAILED', 'UNKNOWN'],
  CANCELING: ['PROCESSING', 'CANCELED', 'DONE', 'EXPIRED', 'FAILED', 'UNKNOWN'],
  UNKNOWN: ['PROCESSING', 'CANCELING', 'DONE', 'CANCELED', 'EXPIRED', 'FAILED'],
  DONE: [],
  CANCELED: [],
  EXPIRED: [],
  FAILED: [],
  REJECTED: [],
}

/**
 * FIX OrdStatus. PENDING_NEW with a time of sending, and UNKNOWN, may have reached the venue; only
 * it tells.
 */
export const ORDER_MOVES: Moves<OrderState> = {
  PENDING_NEW: [
    'NEW',
    'PARTIALLY_FILLED',
    'FILLED',
    'PENDING_CANCEL',
    'CANCELED',
    'REJECTED',
    'EXPIRED',
    'UNKNOWN',
  ],
  NEW: [
    'PARTIALLY_FILLED',
    'FILLED',
    'PENDING_CANCEL',
    'CANCELED',
    'REJECTED',
    'EXPIRED',
    'UNKNOWN',
  ],
  PARTIALLY_FILLED: ['FILLED', 'PENDING_CANCEL', 'CANCELED', 'EXPIRED', 'UNKNOWN'],
  PENDING_CANCEL: [
    'NEW',
    'PARTIALLY_FILLED',
    'FILLED',
    'CANCELED',
    'REJECTED',
    'EXPIRED',
    'UNKNOWN',
  ],
  UNKNOWN: [
    'PENDING_NEW',
    'NEW',
    'PARTIALLY_FILLED',
    'FILLED',
    'PENDING_CANCEL',
    'CANCELED',
    'REJECTED',
    'EXPIRED',
  ],
  FILLED: [],
  CANCELED: [],
  REJECTED: [],
  EXPIRED: [],
}

export const ORDER_STATES = statesOf(ORDER_MOVES)

/** Of orders `o`, sent or not: as the index of open orders has it. */
export const isOpenOrder = stateIn(
  ORDER_MOVES,
  ORDER_STATES.filter((state) => !isFinal(ORDER_MOVES, state)),
  'o.state',
)
