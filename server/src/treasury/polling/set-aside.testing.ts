/** For tests: a bank some of whose records are not understood, and the items that they become. */
import assert from 'node:assert/strict'
import { sql } from '../../store/sql.ts'
import type { SetAsideItemDetail, SetAsideRecord } from '../../venues/index.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'
import { IBAN, movement } from '../testing/venue.fixture.ts'
import { openPolling } from './polling.testing.ts'

export const ITEMS = '/treasury/set-aside-items'

/** A record that the bank's adapter does not understand. */
export const unread = (foreign_id: string, more: Partial<SetAsideRecord> = {}): SetAsideRecord => ({
  foreign_id,
  direction: 'IN',
  reason: 'the amount cannot be read',
  raw: JSON.stringify({ file: 'camt.xml', entry: `<Ntry>${foreign_id}</Ntry>` }),
  occurred_at: null,
  ...more,
})

/** A payment to our account at the bank. */
export const credit = (foreign_id: string, quantity = '10', more: object = {}) =>
  movement(foreign_id, 'EUR', quantity, { wallet: IBAN, protocol: 'SEPA', ...more })

export async function openSetAside() {
  const polling = await openPolling()
  const { place } = polling
  const { bank } = place
  // Later than the opening balances.
  await place.later(1)
  const read = () => place.later(10_000)
  const items = async (query = '') =>
    (await place.call<SetAsideItemDetail[]>('GET', `${ITEMS}${query}`)).data.toReversed()
  return {
    ...polling,
    bank,
    read,
    items,
    item: async (id: string) =>
      (await place.call<SetAsideItemDetail>('GET', `${ITEMS}/${id}`)).data,
    act: (id: string, action: string, body?: object) =>
      place.call<SetAsideItemDetail>('POST', `${ITEMS}/${id}/${action}`, body),
    deposits: async () =>
      (await place.call<Deposit[]>('GET', '/treasury/deposits')).data
        .map((deposit) => deposit.foreign_id)
        .toSorted(),
    events: async () =>
      (
        await place.db.query<{ type: string }>(sql`
          select type
          from events
          where type like 'set_aside_item.%'
          order by sequence`)
      ).map((row) => row.type),
    cursor: async () =>
      (
        await place.db.query<{ cursor: string }>(sql`
          select cursor
          from incoming_cursors
          where venue_id = ${bank.id}`)
      )[0]?.cursor,
    /** The one item of a record that is not understood now. */
    async setAside(record = unread('a')): Promise<SetAsideItemDetail> {
      bank.unread = [record]
      await read()
      bank.unread = []
      const [only] = await items()
      assert.ok(only !== undefined)
      return only
    },
  }
}
