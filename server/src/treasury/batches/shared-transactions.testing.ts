/**
 * For tests: payments from one vault account to four destinations, which the venue pays in one
 * transaction.
 */
import assert from 'node:assert/strict'
import { newId } from '../../core/ids.ts'
import { freezeAccount } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { departure } from '../testing/venue.fixture.ts'
import type { Wallet } from '../wallets/wallets.schema.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import { openBatches } from './batches.testing.ts'
import type { Item } from './batches.testing.ts'

export const BOBS = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT'
export const BOBS_OTHER = '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy'
export const CAROLS = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'

/** `sharing.group` is what the venue says may leave in one transaction. */
export async function openSharedTransactions() {
  const batches = await openBatches()
  const { place, prepared, submit } = batches
  const sharing: { group: string | null } = { group: null }
  const { adapter } = await place.app.venues.connect(place.workspace, place.vault.id)
  assert.ok(adapter.transfers)
  adapter.transfers.output_group = () => sharing.group
  const routes = await routesTo(place)
  const act = (
    id: string,
    what: string,
    body: object | undefined = what === 'recheck' ? undefined : {},
  ) => place.call<Withdrawal>('POST', `/treasury/withdrawals/${id}/${what}`, body)
  const all = (rows: readonly Withdrawal[]) => Promise.all(rows.map((row) => batches.read(row.id)))
  return {
    ...batches,
    sharing,
    routes,
    /** Bob and Carol, who pay at a venue that accepts what it is sent. */
    async newPayers() {
      sharing.group = 'vault account 0'
      place.models.vault.mode = 'accept'
      return payers(batches, routes)
    },
    act,
    all,
    async submitted(items: readonly Item[]): Promise<Withdrawal[]> {
      const answer = await submit(await prepared(items))
      assert.equal(answer.status, 200, answer.text)
      return answer.data
    },
    states: async (rows: readonly Withdrawal[]) => (await all(rows)).map((row) => row.state),
    stateAndFee: async (rows: readonly Withdrawal[]) =>
      (await all(rows)).map(({ state, fee }) => ({ state, fee })),
    sends: (rows: readonly Withdrawal[]) =>
      place.models.vault.sends.filter((send) => send.external_id === rows[0]?.external_id),
    count: async (condition: Query) =>
      (
        await place.db.query(sql`
          select 1
          from withdrawals
          where ${condition}`)
      ).length,
    setFrozen: (account_id: string, frozen: boolean) =>
      place.db.tx((tx) =>
        freezeAccount(
          { workspace: place.workspace, by: 'test' },
          { tx, clock: place.clock },
          account_id,
          { frozen, reason: 'a court said so' },
        ),
      ),
    ...venueReports(place),
  }
}

type Batches = Awaited<ReturnType<typeof openBatches>>
type Place = Batches['place']
export type Payers = Awaited<ReturnType<typeof payers>>

type Destinations = Awaited<ReturnType<typeof routesTo>>

async function payers({ balances, funded, place }: Batches, routes: Destinations) {
  const [bob, carol] = [await funded('Bob'), await funded('Carol')]
  await place.belongsTo(bob, routes.wallets.bob, routes.wallets.bobToo)
  await place.belongsTo(carol, routes.wallets.carol)
  return {
    bob,
    carol,
    balances: () => balances(bob, carol),
    /** Two payments of Bob to two addresses, one of Carol, and one to a wallet of our own. */
    four: (): Item[] => [
      { route_id: routes.bob, quantity: '0.5', account_id: bob.account_id, note: 'first' },
      { route_id: routes.bobToo, quantity: '0.25', account_id: bob.account_id },
      { route_id: routes.carol, quantity: '0.125', account_id: carol.account_id },
      { route_id: routes.exchange, quantity: '0.125' },
    ],
  }
}

async function routesTo(place: Place) {
  const owner = await place.customer('Owner')
  const walletAt = (address: string) =>
    place.wallet({
      type: 'CUSTOMER',
      asset: 'BTC',
      address,
      customer_id: owner.id,
      account_id: owner.account_id,
    })
  const wallets = {
    bob: await walletAt(BOBS),
    bobToo: await walletAt(BOBS_OTHER),
    carol: await walletAt(CAROLS),
  }
  const to = async (wallet: Wallet) => (await place.route(place.wallets.vault, wallet, 'BTC')).id
  return {
    wallets,
    bob: await to(wallets.bob),
    bobToo: await to(wallets.bobToo),
    carol: await to(wallets.carol),
    exchange: place.routes.vaultToExchange.id,
  }
}

function venueReports(place: Place) {
  return {
    /** The vault lists each of these as an output of its transaction, the fee with the first. */
    async listed(
      rows: readonly Withdrawal[],
      fee: { fee: bigint; fee_asset: string },
    ): Promise<void> {
      const id = newId()
      place.vault.outgoing = [
        ...place.vault.outgoing,
        ...rows.map((row, output) =>
          departure(`${id}:${output}`, 'BTC', row.quantity, {
            external_id: row.external_id,
            output,
            wallet: '0',
            transaction_hash: id,
            occurred_at: place.clock.now(),
            ...fee,
            ...(output === 0 ? {} : { fee: 0n }),
          }),
        ),
      ]
      await place.later(60_000)
    },
    /** Which of these left after they had ended. */
    late: async (rows: readonly Withdrawal[]) =>
      (
        await place.db.query<{ related_withdrawal_id: string }>(sql`
          select related_withdrawal_id
          from withdrawals
          where related_withdrawal_id = any(${rows.map((row) => row.id)}::uuid[])
          order by id`)
      ).map((row) => row.related_withdrawal_id),
  }
}

/** The first of a list that has one. */
export function first<Row>(rows: readonly Row[]): Row {
  assert.ok(rows[0])
  return rows[0]
}
