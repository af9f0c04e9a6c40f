/**
 * Withdrawals that are always under way beside the load: each caller starts the next when its last
 * one is final.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Api } from './report.ts'

type InFlight = { stop(): Promise<{ finished: number }> }

const QUANTITY = '0.0001'
const LOOK_MILLISECONDS = 500
const FINAL = new Set(['SUCCESS', 'FAILED', 'REJECTED', 'CANCELED'])
const PATIENCE_MILLISECONDS = 60_000

type ListedRow = {
  id: string
  label: string
  type: string
  asset: string
  kind: string
  venue_id: string | null
  customer_id: string | null
  foreign_id: string | null
  transfer: { to: { on_allowlist: boolean } }
}

/** A customer with coins and an allowed route from the vault to an address of their own. */
export async function prepareWithdrawals(
  api: Api,
  sandboxUrl: string,
): Promise<{ route_id: string; account_id: string }> {
  const customer = await api.call<ListedRow>('POST', '/customers', {
    type: 'INSTITUTION',
    company_name: 'Bench',
    label: 'Bench withdrawals',
    margin: 'DEFAULT',
    booking_schema: 'ADVANCED',
    ignore_balance_check: true,
    ignore_margin: true,
  })
  const account = (await api.call<ListedRow[]>('GET', '/accounts')).find(
    (named) => named.customer_id === customer.id,
  )
  const vault = (await api.call<ListedRow[]>('GET', '/venues')).find(
    (named) => named.kind === 'CUSTODY_VAULT',
  )
  const source = (await api.call<ListedRow[]>('GET', '/treasury/wallets')).find(
    (named) => named.venue_id === vault?.id && named.asset === 'BTC',
  )
  if (account === undefined || source === undefined)
    throw new Error('the demo world has no vault with BTC')
  const answer = await fetch(`${sandboxUrl}/control/chain/addresses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ protocol: 'BTC', name: 'bench' }),
  })
  const { address } = (await answer.json()) as { address: string }
  const wallet = await api.call<ListedRow>('POST', '/treasury/wallets', {
    type: 'CUSTOMER',
    asset: 'BTC',
    address,
    label: 'Bench',
    account_id: account.id,
    customer_id: customer.id,
    access_type: 'EXTERNAL',
  })
  const ends = { from_wallet_id: source.id, to_wallet_id: wallet.id, label: 'Bench' }
  const route = await api.call<ListedRow>('POST', '/treasury/wallets/routes', {
    ...ends,
    protocol: 'BTC',
    transfer: {
      from: { source_vault_account_id: source.foreign_id, destination_external_account_id: '' },
      to: {},
    },
  })
  await api.call('PUT', `/treasury/wallets/routes/${route.id}/allow`, ends)
  const limit = Date.now() + PATIENCE_MILLISECONDS
  while (
    !(await api.call<ListedRow[]>('GET', `/treasury/wallets/routes?id=${route.id}`))[0]?.transfer.to
      .on_allowlist
  ) {
    if (Date.now() > limit) throw new Error('the vault did not allow the address in time')
    await pause(LOOK_MILLISECONDS)
  }
  return { route_id: route.id, account_id: account.id }
}

/**
 * Resolves when `count` withdrawals are under way; `stop` starts no new ones and waits for none.
 */
export async function keepInFlight(
  api: Api,
  { route_id, account_id }: { route_id: string; account_id: string },
  count: number,
): Promise<InFlight> {
  let stopped = false
  let finished = 0
  const start = () =>
    api.call<{ id: string }>('POST', `/treasury/wallets/routes/${route_id}/withdrawals`, {
      quantity: QUANTITY,
      speed_level: 'DEFAULT',
      account_id,
    })
  const follow = async (first: string): Promise<void> => {
    for (let id = first; !stopped;) {
      await pause(LOOK_MILLISECONDS)
      const { state } = await api.call<{ state: string }>('GET', `/treasury/withdrawals/${id}`)
      if (!FINAL.has(state)) continue
      finished += 1
      if (!stopped) id = (await start()).id
    }
  }
  const loops = (await Promise.all(Array.from({ length: count }, start))).map(({ id }) =>
    follow(id),
  )
  return {
    async stop() {
      stopped = true
      await Promise.all(loops)
      return { finished }
    },
  }
}
