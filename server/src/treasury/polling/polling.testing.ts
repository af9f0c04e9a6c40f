/** For tests: withdrawals that are sent, and what the venue reports about them and others. */
import assert from 'node:assert/strict'
import type { Customer } from '../../customers/index.ts'
import { putAsset } from '../../ledger/index.ts'
import type { Outgoing } from '../../venues/index.ts'
import type { FakeVenue } from '../testing/fake-venue.testing.ts'
import { CUSTOMERS_IBAN, openMovements } from '../testing/movements.testing.ts'
import { balance, departure, IBAN } from '../testing/venue.fixture.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'

export async function openPolling() {
  const place = await openMovements()
  const { call, models, routes } = place
  const withdrawals = async () => (await call<Withdrawal[]>('GET', '/treasury/withdrawals')).data
  const externals = async () => (await withdrawals()).filter((row) => row.origin === 'EXTERNAL')
  return {
    place,
    models,
    routes,
    withdrawals,
    read: async (id: string) => (await call<Withdrawal>('GET', `/treasury/withdrawals/${id}`)).data,
    /** What left beside us. */
    externals,
    async external(foreign_id: string): Promise<Withdrawal> {
      const found = (await externals()).find((row) => row.foreign_id === foreign_id)
      assert.ok(found !== undefined, `${foreign_id} was integrated`)
      return found
    },
    /** What left of a withdrawal after it had ended. */
    async lateOf(id: string): Promise<Withdrawal> {
      const found = (await withdrawals()).filter((row) => row.related_withdrawal_id === id)
      assert.equal(found.length, 1)
      return found[0] as Withdrawal
    },
    async send(route: { id: string }, body: object): Promise<Withdrawal> {
      const made = await call<Withdrawal>(
        'POST',
        `/treasury/wallets/routes/${route.id}/withdrawals`,
        { speed_level: 'DEFAULT', ...body },
      )
      assert.equal(made.status, 200, made.text)
      await place.work()
      return made.data
    },
    /** The venue reports what left, dated as it is. */
    async report(fake: FakeVenue, ...movements: Outgoing[]): Promise<void> {
      fake.outgoing.push(...movements)
      await place.later(10_000)
    },
    async close(): Promise<void> {
      assert.deepEqual(await place.verify(), [])
      await place.close()
    },
  }
}

/** A payment from our bank that was not sent from here. */
export const debit = (foreign_id: string, quantity: string, more: Partial<Outgoing> = {}) =>
  departure(foreign_id, 'EUR', quantity, {
    wallet: IBAN,
    fee: 0n,
    fee_asset: 'EUR',
    destination_address: CUSTOMERS_IBAN,
    recipient_name: 'Shop',
    ...more,
  })

/** A route for tokens to the payer. The vault holds tokens, and the coin that pays their fees. */
export async function tokenPayout(
  place: Awaited<ReturnType<typeof openMovements>>,
  payer: Pick<Customer, 'id' | 'account_id'>,
): Promise<{ id: string }> {
  const { db, route, vault, venueWallet, wallet, work, workspace } = place
  for (const [code, scale] of [
    ['USDC', 6],
    ['ETH', 18],
  ] as const) {
    const coin = { label: code, kind: 'CRYPTO', circulating_supply: null } as const
    await putAsset(db, workspace, { code, scale, ...coin })
    vault.balances.push(balance(code, '1000', { wallet: '0', protocol: 'ETH' }))
  }
  const from = await venueWallet(vault, 'USDC', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', {
    vault_id: '0',
    protocol: 'ETH',
  })
  const to = await wallet({
    type: 'CUSTOMER',
    asset: 'USDC',
    address: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    customer_id: payer.id,
    account_id: payer.account_id,
  })
  await work()
  return route(from, to, 'ETH')
}
