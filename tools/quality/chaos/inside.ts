/** What the service says, by its API alone. */
import { Refusal } from '../faults/client.ts'
import type { Ground } from '../faults/furniture.ts'

export type Withdrawal = {
  id: string
  venue_id: string
  external_id: string
  state: string
  reason: string | null
  origin: string
  asset: string
  quantity: string
  account_id: string | null
  job_id: string | null
}
export type Deposit = {
  id: string
  venue_id: string
  state: string
  reason: string | null
  asset: string
  quantity: string
  own_transfer: boolean
  related_withdrawal_id: string | null
}
type Execution = {
  id: string
  state: string
  reason_code: string | null
  side: 'BUY' | 'SELL'
  base_asset: string
  quote_asset: string
  filled_amount: string
  filled_volume: string
  customers: { customer_id: string; filled_amount: string; filled_volume: string }[]
}
type Fill = {
  execution_id: string | null
  venue_id: string
  base_asset: string
  quantity: string
  volume: string
  busted: boolean
}
type Account = { id: string; type: string; venue_id: string | null }
export type Balance = { withdrawing: string; trading: string; total: string }
type Wallet = { id: string; label: string; state: string; reason?: string | null }
type TrialLine = { type: string; debit: string; credit: string }

export type Inside = {
  withdrawals: Withdrawal[]
  deposits: Deposit[]
  executions: Execution[]
  fills: Fill[]
  bookTransfers: { id: string; state: string }[]
  /** Manual ones. */
  bookings: { id: string }[]
  jobs: { id: string }[]
  wallets: Wallet[]
  /** By account and asset, of customers and venues. */
  balances: Map<Account, Record<string, Balance>>
  trial: { asset: string; debit: string; credit: string; lines: TrialLine[] }[]
  setAside: { id: string; reason: string; state: string }[]
}

export async function readInside({ call, venues }: Ground): Promise<Inside> {
  const accounts = await call<Account[]>('GET', '/accounts')
  const balances = new Map<Account, Record<string, Balance>>()
  for (const account of accounts.filter(({ type }) => type === 'CUSTOMER' || type === 'VENUE'))
    balances.set(account, await call('GET', `/bookings/accounts/${account.id}/balance`))
  const all = await call<{ id: string; services: { id: string; type: string }[] }[]>(
    'GET',
    '/venues',
  )
  const fills: Fill[] = []
  for (const { id, services } of all)
    for (const service of services)
      if (service.type === 'TOMS' && Object.values(venues).includes(id))
        fills.push(...(await call<Fill[]>('GET', `/toms/${service.id}/fills`)))
  const { assets } = await call<{ assets: Inside['trial'] }>('GET', '/bookings/trial-balance')
  return {
    withdrawals: await call('GET', '/treasury/withdrawals'),
    deposits: await call('GET', '/treasury/deposits'),
    executions: await call('GET', '/executions'),
    fills,
    bookTransfers: await call('GET', '/book-transfers'),
    bookings: await call('GET', '/bookings?type=MANUAL'),
    jobs: await call('GET', '/treasury/jobs'),
    wallets: await call('GET', '/treasury/wallets'),
    balances,
    trial: assets,
    setAside: await call('GET', '/treasury/set-aside-items'),
  }
}

const EVENTS_AT_ONCE = 1_000

/** The sequences of all events, as they are listed. */
export async function sequencesOf({ call }: Ground): Promise<number[]> {
  const all: number[] = []
  for (;;) {
    const page = await call<{ sequence: number }[]>(
      'GET',
      `/events?after=${all.at(-1) ?? 0}&limit=${EVENTS_AT_ONCE}`,
    )
    all.push(...page.map(({ sequence }) => sequence))
    if (page.length < EVENTS_AT_ONCE) return all
  }
}

type Job = Record<string, unknown> & { id: string; active: boolean }
const LIVE_EXECUTIONS = ['PROCESSING', 'WAITING_FOR_TRIGGER']

/**
 * What a person does when the storm is over: orders that rest are canceled, jobs are stopped, and
 * what is UNKNOWN is asked for again.
 */
export async function tidyUp({ call }: Ground): Promise<void> {
  for (const job of await call<Job[]>('GET', '/treasury/jobs'))
    if (job.active)
      await call('PUT', '/treasury/jobs', { ...changeable(job), id: job.id, active: false })
  const executions = await call<Execution[]>('GET', '/executions')
  for (const { id, state } of executions) {
    if (LIVE_EXECUTIONS.includes(state)) await unlessRefused(call('DELETE', `/executions/${id}`))
    if (state === 'UNKNOWN') await unlessRefused(call('POST', `/executions/${id}/recheck`))
  }
  const withdrawals = await call<Withdrawal[]>('GET', '/treasury/withdrawals?state=unknown')
  for (const { id } of withdrawals)
    await unlessRefused(call('POST', `/treasury/withdrawals/${id}/recheck`))
}

const JOB_FIELDS = [
  'route',
  'condition_type',
  'interval',
  'speed_level',
  'fee',
  'min_quantity',
  'quantity',
  'conditions',
]

const changeable = (job: Job): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(job).filter(([name, value]) => JOB_FIELDS.includes(name) && value !== null),
  )

/** It has ended meanwhile. */
async function unlessRefused(asking: Promise<unknown>): Promise<void> {
  try {
    await asking
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}
