/** For tests: payments of the house and of customers that leave as one, and what became of them. */
import assert from 'node:assert/strict'
import { decimal, format } from '../../core/decimal.ts'
import type { Customer } from '../../customers/index.ts'
import type { BatchRequest } from '../batches/batches.schema.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import { openRelations } from './relations.testing.ts'

const FUNDS = '100000'

type Relations = Awaited<ReturnType<typeof openRelations>>

export async function openSharedTransfers() {
  const world = await openRelations()
  const { place } = world
  const [bob, carol] = [await place.customer('Bob'), await place.customer('Carol')]
  for (const { account_id } of [bob, carol]) await place.fund(account_id, 'EUR', FUNDS)
  return {
    ...world,
    bob,
    carol,
    ...sending(world),
    ...totalsOf(world, {
      suspense: place.house.SUSPENSE ?? '',
      transit: place.house.TRANSIT ?? '',
      fee: place.house.FEE ?? '',
      exchange: place.exchange.accounts.VENUE,
      bank: place.bank.accounts.VENUE,
      Bob: bob.account_id,
      Carol: carol.account_id,
    }),
    async close(): Promise<void> {
      try {
        assert.deepEqual(await place.verify(), [])
      } finally {
        await place.close()
      }
    },
  }
}

function sending({ place, routes }: Relations) {
  const batch = async <Data>(step: 'prepare' | 'submit', withdrawals: readonly object[]) => {
    const answer = await place.call<Data>('POST', `/treasury/withdrawals/batch/${step}`, {
      withdrawals,
    })
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }
  return {
    /** One withdrawal: what the house moves, and what each of them pays. */
    async sends(
      house: string,
      parts: readonly (readonly [Customer, string])[],
      { id: route_id } = routes.exchangeToBank,
    ): Promise<Withdrawal> {
      const common = { route_id, speed_level: 'DEFAULT' }
      const paid = parts.map(([{ account_id }, quantity]) => ({ ...common, quantity, account_id }))
      const items = [{ ...common, quantity: house }, ...paid]
      const prepared = await batch<BatchRequest[]>('prepare', items)
      const [withdrawal, ...more] = await batch<Withdrawal[]>('submit', prepared)
      await place.work()
      assert.ok(withdrawal !== undefined && more.length === 0)
      return withdrawal
    },
    withdrawal: async (id: string) =>
      (await place.call<Withdrawal>('GET', `/treasury/withdrawals/${id}`)).data,
    /** How the sending venue says that it ended. */
    async ends(
      { external_id, venue_id }: Withdrawal,
      report: Parameters<typeof place.models.bank.finish>[1] = {},
    ): Promise<void> {
      const venue = venue_id === place.bank.id ? 'bank' : 'exchange'
      place.models[venue].finish(external_id, report)
      await place.later(60_000)
    },
  }
}

/** What these accounts have. */
function totalsOf({ place }: Relations, accounts: Readonly<Record<string, string>>) {
  const totals = async () => {
    const known = Object.entries(accounts).map(
      async ([name, id]) => [name, decimal(await place.total(id))] as const,
    )
    return Object.fromEntries(await Promise.all(known))
  }
  return {
    totals,
    /** What has changed since, without what is as before. */
    async changed(before: Readonly<Record<string, bigint>>): Promise<Record<string, string>> {
      const changes = Object.entries(await totals())
        .map(([name, total]) => [name, total - (before[name] ?? 0n)] as const)
        .filter(([, change]) => change !== 0n)
      return Object.fromEntries(changes.map(([name, change]) => [name, format(change)]))
    },
  }
}
