import type { SetAsideItemId } from '../../core/ids.ts'
import {
  closed,
  endpoint,
  id,
  listEndpoint,
  queryId,
  queryOneOf,
  queryTime,
} from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import { lockLane, publishEvents } from '../../ledger/index.ts'
import {
  dismissItem,
  DismissSetAsideItem,
  itemById,
  listItems,
  SET_ASIDE_STATES,
  SetAsideItemDetail,
  SetAsideItemRow,
} from '../../venues/index.ts'
import type { TreasuryApp } from '../app.ts'
import { retryItem } from './retry.ts'

const tag = 'Set-aside items'

export function setAsideEndpoints(app: TreasuryApp): Endpoint[] {
  return [...readEndpoints(app), ...decidingEndpoints(app)]
}

function readEndpoints(app: TreasuryApp): Endpoint[] {
  return [
    listEndpoint({
      operation_id: 'listSetAsideItems',
      personal: true,
      tagged: 'set_aside_item',
      path: '/treasury/set-aside-items',
      origin: { ours: 'shows what of the venues could not be understood or booked' },
      tag,
      summary: 'List set-aside items',
      permission: 'treasury.deposits.read',
      description:
        'Records of venues that could not be understood, or whose movement could not be booked. ' +
        'Each waits for a person; all others were booked. `system_created_at_from` is inclusive, ' +
        '`system_created_at_to` exclusive.',
      data: SetAsideItemRow,
      query: closed({
        state: queryOneOf(SET_ASIDE_STATES),
        venue_id: queryId(),
        system_created_at_from: queryTime(),
        system_created_at_to: queryTime(),
      }),
      list: ({ principal, query }) => listItems(principal.workspace, query),
    }),
    endpoint({
      method: 'GET',
      operation_id: 'getSetAsideItem',
      personal: true,
      path: '/treasury/set-aside-items/:set_aside_item_id',
      origin: { ours: 'shows the record as the venue gave it' },
      tag,
      summary: 'One set-aside item, with its record',
      permission: 'treasury.deposits.read',
      effect: 'read',
      params: closed({ set_aside_item_id: id<SetAsideItemId>() }),
      data: SetAsideItemDetail,
      handle: ({ params, principal }) =>
        itemById(app.db, principal.workspace, params.set_aside_item_id),
    }),
  ]
}

function decidingEndpoints(app: TreasuryApp): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      operation_id: 'retrySetAsideItem',
      path: '/treasury/set-aside-items/:set_aside_item_id/retry',
      origin: { ours: 'books a record once it can be understood' },
      tag,
      summary: 'Try a set-aside record again',
      permission: 'treasury.set-aside.decide',
      effect: 'venue',
      description:
        'Answers the item: RESOLVED when its movements were booked, else OPEN with the reason of ' +
        'now. Refused: STATE_NOT_ALLOWED when it does not wait any more, UNSUPPORTED_BY_VENUE ' +
        'when one record alone cannot be read again; 2003 when the venue does not answer.',
      params: closed({ set_aside_item_id: id<SetAsideItemId>() }),
      data: SetAsideItemDetail,
      handle: ({ params, caller }) => retryItem(caller, app, params.set_aside_item_id),
    }),
    endpoint({
      method: 'POST',
      operation_id: 'dismissSetAsideItem',
      path: '/treasury/set-aside-items/:set_aside_item_id/dismiss',
      origin: { ours: 'a person takes responsibility for a record that is not booked' },
      tag,
      summary: 'Dismiss a set-aside record with a note',
      permission: 'treasury.set-aside.decide',
      effect: 'transaction',
      description:
        'Nothing is booked, also when the venue reports the record later in a form that is ' +
        'understood. Refused: STATE_NOT_ALLOWED.',
      params: closed({ set_aside_item_id: id<SetAsideItemId>() }),
      body: DismissSetAsideItem,
      example: { note: 'Booked by hand after a call with the bank' },
      data: SetAsideItemDetail,
      async handle({ params, body, caller }, tx) {
        const { workspace, by } = caller
        await lockLane(tx, workspace)
        const { item, event } = await dismissItem(tx, caller, params.set_aside_item_id, {
          note: body.note,
          now: app.clock.now(),
        })
        await publishEvents({ workspace, by }, { tx, clock: app.clock }, [event])
        return item
      },
    }),
  ]
}
