/** What the outside world has, by the books of the sandbox alone. */
import { decimal, format } from '../../../server/src/core/decimal.ts'
import type { SandboxProcess } from '../../../server/src/venues/sandbox-process.testing.ts'
import type { Ground } from '../faults/furniture.ts'
import { readBooks } from '../faults/outside-books.ts'
import type { VenueKey } from '../faults/world-configuration.ts'

/** Their tables in the sandbox. */
const EXCHANGES = { kraken: 'exchange', bitstamp: 'bitstamp', okx: 'okx', prime: 'prime' } as const
/** A vault's transaction in one of these has taken nothing. */
const NOT_SENT = ['FAILED', 'REJECTED', 'BLOCKED', 'CANCELLED']

/** Something that left: by our reference, or by its amount where the venue keeps no reference. */
type Sent = { venue: VenueKey; by: string }
type Traded = { venue: VenueKey; text: string }

export type Outside = {
  sent: Sent[]
  /** Payments of ours that came back, by our reference. */
  returned: string[]
  traded: Traded[]
  /** Orders of ours: reference, how often, and how many of them are open. */
  orders: { venue: VenueKey; reference: string; count: number; open: number }[]
  /** What each venue holds for us, by venue and asset. */
  held: Map<string, bigint>
  /** What there is of each asset at the bank and on the chain. */
  totals: Map<string, bigint>
  /** How often each wallet was made, by label at one custodian, by reference at the other. */
  made: Map<string, number>
}

type Holding = { part: string; holder: string; asset: string; quantity: string }

export async function readOutside(sandbox: SandboxProcess, ground: Ground): Promise<Outside> {
  const read = <Row>(query: string, ...values: string[]): Row[] =>
    readBooks<Row>(sandbox.dir, query, values)
  const { address: iban } = await ground.wallet('Bank EUR')
  const { holdings, totals } = await sandbox.control<{
    holdings: Holding[]
    totals: Omit<Holding, 'holder'>[]
  }>('GET', 'holdings')
  const ours = holdings.filter(({ part, holder }) => isOurs(part, holder))
  return {
    sent: [...wires(read, iban), ...exchangeWithdrawals(read), ...custodians(read)],
    returned: read<{ end_to_end_id: string }>(
      `
      select end_to_end_id
      from bank_wires
      where kind = 'RETURN'
        and state = 'ARRIVED'`,
    ).map((row) => row.end_to_end_id),
    ...trading(read),
    held: sums(ours),
    totals: sums(totals.filter(({ part }) => part === 'bank' || part === 'chain')),
    made: made(read),
  }
}

const isOurs = (part: string, holder: string): boolean => {
  if (part in EXCHANGES) return holder === 'kontor' || holder === 'funding'
  return (
    part === 'fireblocks' || part === 'managed' || (part === 'bank' && holder.startsWith('kontor '))
  )
}

function sums(holdings: readonly Omit<Holding, 'holder'>[]): Map<string, bigint> {
  const all = new Map<string, bigint>()
  for (const { part, asset, quantity } of holdings) {
    const key = `${part} ${asset}`
    all.set(key, (all.get(key) ?? 0n) + decimal(quantity))
  }
  return all
}

type Read = <Row>(query: string, ...values: string[]) => Row[]

const wires = (read: Read, iban: string): Sent[] =>
  read<{ by: string }>(
    `
      select end_to_end_id as by
      from bank_wires
      where kind in ('PAYMENT', 'FOREIGN', 'INSTANT')
        and from_iban = ?`,
    iban,
  ).map(({ by }) => ({ venue: 'bank', by }))

const exchangeWithdrawals = (read: Read): Sent[] =>
  (['kraken', 'bitstamp', 'okx'] as const).flatMap((venue) =>
    read<{ amount: string }>(
      `
      select amount
      from ${EXCHANGES[venue]}_withdrawals
      where status <> 'Failure'`,
    ).map(({ amount }) => ({ venue, by: format(decimal(amount)) })),
  )

function custodians(read: Read): Sent[] {
  const vault = read<{ by: string; status: string }>(
    `
      select external_tx_id as by, status
      from vault_transactions
      where incoming = 0
        and external_tx_id is not null`,
  )
  const managed = read<{ by: string }>(
    `
      select reference as by
      from managed_requests
      where kind = 'WITHDRAW'
        and status not in ('CANCELLED', 'IN_REVIEW')
        and error_code is null`,
  )
  return [
    ...vault
      .filter(({ status }) => !NOT_SENT.includes(status))
      .map(({ by }): Sent => ({ venue: 'fireblocks', by })),
    ...managed.map(({ by }): Sent => ({ venue: 'managed', by })),
  ]
}

function trading(read: Read): Pick<Outside, 'traded' | 'orders'> {
  const traded: Traded[] = []
  const orders: Outside['orders'] = []
  for (const [venue, tables] of Object.entries(EXCHANGES) as [VenueKey, string][]) {
    const trades = read<{ volume: string; cost: string; busted_at: number | null }>(
      `
      select t.volume, t.cost, t.busted_at
      from ${tables}_trades t
      join ${tables}_orders o on o.id = t.order_id
      where o.owner = 'kontor'`,
    )
    for (const { volume, cost, busted_at } of trades)
      traded.push({ venue, text: tradeText(volume, cost, busted_at !== null) })
    const placed = read<{ reference: string; count: number; open: number }>(
      `
      select cl_ord_id as reference, count(*) as count, sum(status = 'open') as open
      from ${tables}_orders
      where owner = 'kontor'
      group by cl_ord_id`,
    )
    for (const row of placed) orders.push({ venue, ...row })
  }
  return { traded, orders }
}

export const tradeText = (quantity: string, cost: string, busted: boolean): string =>
  `${format(decimal(quantity))} for ${format(decimal(cost))}${busted ? ', taken back' : ''}`

function made(read: Read): Map<string, number> {
  const labels = read<{ name: string }>('select label as name from managed_wallets')
  const references = read<{ name: string }>(
    `
      select customer_ref_id as name
      from vault_accounts
      where customer_ref_id is not null`,
  )
  const counts = new Map<string, number>()
  for (const { name } of [...labels, ...references]) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
