/**
 * Wires at the bank, matched by their reference and booked: all of them lie in the inbox when the
 * reading begins. The wall is from the reading's beginning to the last booking; read and stored is
 * the first part of it.
 */
import pg from 'pg'
import { coresText, printProfile, recordProfile, watchCores } from './machine.ts'
import type { Parts } from './machine.ts'
import { connectTo } from './report.ts'
import type { Api, Service } from './report.ts'
import { inParallel, eventually, sandboxAt } from './sandbox.ts'
import type { Sandbox } from './sandbox.ts'

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3)
const WIRES = Number(process.env['BENCH_WIRES'] ?? 1_000)
const CUSTOMERS = 50
const PACE = 1_000
const FAR_FUTURE = 9_000_000_000_000
const PATIENCE_SECONDS = 120

type Bank = { venue_id: string; iban: string; references: string[] }
type Run = { wall: number; stored: number; cores: string }

export async function deposits(
  service: Service,
  databaseUrl: string,
  sandboxUrl: string,
  parts: Parts,
): Promise<void> {
  const api = await connectTo(service)
  const sandbox = sandboxAt(sandboxUrl)
  const db = new pg.Client({ connectionString: databaseUrl })
  await db.connect()
  try {
    const bank = await matchedCustomers(api)
    const rounds: Run[] = []
    for (let round = 0; round < ROUNDS; round += 1) rounds.push(await run(db, sandbox, bank, parts))
    const { wall, stored, cores } = rounds.toSorted((a, b) => a.wall - b.wall)[
      Math.floor(ROUNDS / 2)
    ] as Run
    process.stdout.write(
      `\n${WIRES} wires matched and booked\n${'per second'.padStart(12)}` +
        `${'wall s'.padStart(10)}${'stored s'.padStart(10)}   cores\n` +
        `${(WIRES / wall).toFixed(0).padStart(12)}${wall.toFixed(2).padStart(10)}` +
        `${stored.toFixed(2).padStart(10)}   ${cores}\n`,
    )
    if (parts.inspect_port > 0)
      printProfile(await recordProfile(parts, () => run(db, sandbox, bank, parts)))
  } finally {
    await db.end()
  }
}

async function matchedCustomers(api: Api): Promise<Bank> {
  const venue = (await api.call<{ id: string; label: string }[]>('GET', '/venues')).find(
    (venue) => venue.label === 'Sandbox Bank',
  )
  const wallet = (
    await api.call<{ venue_id: string | null; asset: string; address: string }[]>(
      'GET',
      '/treasury/wallets',
    )
  ).find((wallet) => wallet.venue_id === venue?.id && wallet.asset === 'EUR')
  if (venue === undefined || wallet === undefined) throw new Error('the demo world has no bank')
  const references: string[] = []
  for (const [index, resource_id] of (await api.customerAccounts(CUSTOMERS)).entries()) {
    references.push(`BENCH${index}X`)
    await api.call('POST', '/accounts/matchings', {
      resource_id,
      type: 'DESTINATION_WITH_REFERENCE',
      details: {
        asset: 'EUR',
        is_withdrawal_matching: false,
        destination_address: wallet.address,
        reference: references[index],
      },
    })
  }
  return { venue_id: venue.id, iban: wallet.address, references }
}

async function run(db: pg.Client, sandbox: Sandbox, bank: Bank, parts: Parts): Promise<Run> {
  await eventually('the bank is not read', 20, async () =>
    (await stopReading(db, bank)) ? true : undefined,
  )
  const before = await wiresStored(db, bank)
  await sendWires(sandbox, bank)
  const { result, cores } = await watchCores(parts, () => readAndBook(db, bank))
  const after = await wiresStored(db, bank)
  if (after !== before + WIRES) throw new Error(`${after - before} deposits for ${WIRES} wires`)
  return { ...result, cores: coresText(cores) }
}

/** False while it is being read. */
async function stopReading(db: pg.Client, { venue_id }: Bank): Promise<boolean> {
  const { rowCount } = await db.query(
    `
      update tasks
      set due_at = $2
      where kind = 'poll_venue'
        and subject_id = $1
        and leased_until is null`,
    [venue_id, FAR_FUTURE],
  )
  return rowCount === 1
}

async function wiresStored(db: pg.Client, { venue_id }: Bank): Promise<number> {
  const { rows } = await db.query<{ count: string }>(
    `
      select count(*)
      from deposits
      where venue_id = $1
        and reference_text like 'BENCH%'`,
    [venue_id],
  )
  return Number(rows[0]?.count)
}

async function sendWires(sandbox: Sandbox, { iban, references }: Bank): Promise<void> {
  await sandbox.atPace(PACE, async () => {
    await inParallel(Array.from({ length: WIRES }), 8, async (_wire, index) => {
      await sandbox.post('bank/wire', {
        from_name: 'Bench',
        to_iban: iban,
        quantity: '1.00',
        currency: 'EUR',
        reference: references[index % references.length],
      })
    })
    await eventually('every wire has arrived', 30, async () =>
      Number((await sandbox.get<{ in_transit: string }>('bank/accounts')).in_transit) === 0
        ? true
        : undefined,
    )
  })
}

/** Begins reading now, and answers the seconds to the last stored and the last booked wire. */
async function readAndBook(
  db: pg.Client,
  { venue_id }: Bank,
): Promise<{ wall: number; stored: number }> {
  const began = Date.now()
  await db.query(
    `
      update tasks
      set due_at = $2
      where kind = 'poll_venue'
        and subject_id = $1`,
    [venue_id, began],
  )
  await db.query(`notify tasks`)
  return eventually('every wire is booked', PATIENCE_SECONDS, async () => {
    const {
      rows: [ran],
    } = await db.query<{ booked: number; others: number; stored: string; last: string }>(
      `
        select count(*) filter (where state = 'SUCCESSFUL')::int as booked,
          count(*) filter (where state not in ('SUCCESSFUL', 'PENDING'))::int as others,
          max(system_created_at) as stored, max(system_updated_at) as last
        from deposits
        where venue_id = $1
          and system_created_at >= $2
          and reference_text like 'BENCH%'`,
      [venue_id, began],
    )
    if (ran !== undefined && ran.others > 0)
      throw new Error(`${ran.others} of the wires were not matched`)
    return ran?.booked === WIRES
      ? { wall: (Number(ran.last) - began) / 1000, stored: (Number(ran.stored) - began) / 1000 }
      : undefined
  })
}
