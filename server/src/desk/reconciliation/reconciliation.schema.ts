import type { BreakId, VenueId } from '../../core/ids.ts'
import type { Moves } from '../../core/moves.ts'
import {
  asset,
  closed,
  decimalText,
  flag,
  id,
  nullable,
  record,
  requiredText,
  text,
  time,
  Type,
  oneOf,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'

export const BREAK_STATES = ['OPEN', 'CLOSED'] as const
export type BreakState = (typeof BREAK_STATES)[number]
export const BREAK_MOVES: Moves<BreakState> = { OPEN: ['CLOSED'], CLOSED: [] }

/**
 * OPENING: what the venue holds was never taken into the books. TIMING: something at the venue has
 * no known outcome yet. FEE: the size of a fee. UNMATCHED: the size of a movement that only one
 * side has.
 */
export const BREAK_CAUSES = ['OPENING', 'TIMING', 'FEE', 'UNMATCHED', 'UNKNOWN'] as const
export type BreakCause = (typeof BREAK_CAUSES)[number]

const WALLET =
  'Where inside the venue; null where it has one pot, and for what was booked there in none of ' +
  'its wallets'

const figures = {
  venue_id: id<VenueId>(),
  asset: asset(),
  ledger: decimalText('What the books say'),
  venue: decimalText('What the venue holds'),
  on_the_way: decimalText('The part of the difference that movements in flight explain'),
  difference: decimalText('venue less ledger less on_the_way'),
}

export const BreakRecord = record('Break', {
  id: id<BreakId>(),
  state: oneOf(BREAK_STATES),
  ...figures,
  wallet: nullable(text(500, WALLET)),
  cause: oneOf(BREAK_CAUSES),
  explanation: text(),
  cause_resource_id: nullable(
    id('The withdrawal, deposit, order or booking that the explanation names'),
  ),
  first_seen_at: time(),
  last_seen_at: time(),
  age_ms: Type.Integer({
    minimum: 0,
    description: 'From first_seen_at until now, or until it was closed',
  }),
  closed_at: nullable(time()),
  closed_by: nullable(text()),
  closed_reason: nullable(
    oneOf(['RESOLVED', 'BY_HAND'], 'RESOLVED: the difference has disappeared'),
  ),
  note: nullable(text()),
})
export type Break = Static<typeof BreakRecord>

export const CloseBreak = closed(
  { note: requiredText(500, 'Why it needs no further attention') },
  { title: 'CloseBreak' },
)

/**
 * BALANCED; CHECKING: differs, and is looked at again before it is called a break; BREAK; ACCEPTED:
 * differs by what a break was closed over.
 */
export const LINE_STATES = ['BALANCED', 'CHECKING', 'BREAK', 'ACCEPTED'] as const

export const PositionRecord = closed(
  {
    state: oneOf(
      [...LINE_STATES, 'NOT_COMPARED'],
      'NOT_COMPARED: the figures are those of the last comparison, and none is made now',
    ),
    not_compared: nullable(
      closed({
        order_id: id('The open order that it waits for'),
        reason: text(),
        until: time('At the latest; sooner when the order ends'),
      }),
    ),
    ...figures,
    wallets: Type.Array(
      closed({
        wallet: nullable(text(500, WALLET)),
        total: decimalText('What the venue holds'),
        ledger: nullable(
          decimalText(
            'What the books say; this and what follows is null while they do not know this ' +
              'venue by wallet',
          ),
        ),
        on_the_way: nullable(decimalText()),
        difference: nullable(decimalText()),
        state: nullable(oneOf(LINE_STATES)),
        since: nullable(time()),
        break_id: nullable(id<BreakId>()),
      }),
    ),
    since: time('Since when exactly this difference is seen'),
    compared_at: time('The last time that neither side was moving'),
    break_id: nullable(id<BreakId>('The first open break of these wallets')),
  },
  { title: 'Position' },
)
export type Position = Static<typeof PositionRecord>

export const FreezeAccount = closed(
  { frozen: flag(), reason: requiredText() },
  { title: 'FreezeAccount' },
)
