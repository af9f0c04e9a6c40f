/**
 * The flows of the treasury: how each begins, which failpoints it passes, which operation of its
 * venue sends, and what must be true of it at its end. Orders are in trades.ts, settlements in
 * settlements.ts.
 */
import { newId } from '../../../server/src/core/ids.ts'
import { sql } from '../../../server/src/store/sql.ts'
import { present, until } from './world.ts'
import type { VenueKey, Wallet, World } from './world.ts'

/** `wrong`: what should not be so, in words. */
export type Outcome = {
  state: string
  asked: number | null
  effects: number
  hold: string
  wrong: string[]
  /** Rightly given up, because this machine was too slow for it: the row is run again. */
  tooSlow?: true
}

export type Begun = {
  /** Of the failpoints; undefined: whoever passes them. */
  subject: string | undefined
  /** Texts that the database sees with this row and no other. */
  marks: string[]
  /** Undefined while it is under way. */
  outcome(): Promise<Outcome | undefined>
  /** While the venue is silent: what is wrong about how it waits. */
  waiting(): Promise<string[]>
}

/**
 * What a flow may meet. After `refused` nothing may have happened; `late`: it was under way for an
 * hour, and its time may be over.
 */
export type Expectation = 'done' | 'refused' | 'late'

export type Flow = {
  name: string
  venue: VenueKey
  /** Not so for what arrives by itself. */
  send?: string
  /** An order at an exchange. */
  order?: { market: boolean }
  /** Meets these faults of its venue only. */
  meets?: readonly string[]
  /**
   * So many rows at once, while nothing else runs: it needs other venues, or everything that there
   * is.
   */
  apart?: number
  /**
   * Passed by a worker that works on the subject, in order; `refused`: as far as one comes that the
   * venue refuses.
   */
  points: readonly string[]
  refused?: readonly string[]
  /** Passed by the process that answers the request. */
  api?: readonly string[]
  /** Only where the answer was lost. */
  lost?: readonly string[]
  /** What has to be there before; repeated it does nothing. */
  prepare?(world: World): Promise<unknown>
  begin(world: World, expected: Expectation, key: string): Promise<Begun>
}

export const around = (flow: string, ...steps: string[]): string[] =>
  steps.flatMap((step) => [`${flow}.${step}.before`, `${flow}.${step}.after`])
const SENDING = around(
  'withdrawal',
  'load',
  'connect',
  'intent',
  'send',
  'record',
  'claimed',
  'find',
  'follow',
)
const REFUSED = SENDING.slice(0, SENDING.indexOf('withdrawal.record.after') + 1)
const ARRIVING = around('deposit', 'read', 'store', 'settle')
const RUNNING = around('job', 'load', 'assess', 'record')
const MAKING = [
  ...around('wallet', 'load', 'connect', 'intent', 'create'),
  ...around('wallet', 'record'),
]
const FINAL = ['SUCCESS', 'REJECTED', 'FAILED', 'CANCELED']
const NOBODYS_IBAN = 'NL91ABNA0417164300'

const SEND: Readonly<Record<VenueKey, string>> = {
  fireblocks: 'create_transaction',
  kraken: 'Withdraw',
  bitstamp: 'withdrawal',
  managed: 'create_withdrawal',
  bank: 'payment',
  prime: 'Withdraw',
}

// ---------------------------------------------------------------- what left

type Sent = {
  id: string
  external_id: string
  venue: VenueKey
  asset: string
  quantity: string
  address: string
}

/** How often it really left its venue, by the venue's own books. */
async function effectsOf(world: World, { id, venue, quantity, address }: Sent): Promise<number> {
  if (venue === 'bank')
    return world.outside(
      `
        select id
        from bank_wires
        where end_to_end_id = ?
          and kind in ('PAYMENT', 'FOREIGN')`,
      id.replaceAll('-', ''),
    ).length
  if (venue === 'kraken' || venue === 'bitstamp')
    return world.outside(
      `
        select refid
        from ${venue === 'kraken' ? 'exchange' : 'bitstamp'}_withdrawals
        where amount = ?
          and status <> 'Failure'`,
      quantity,
    ).length
  const { received } = await world.sandbox.control<{
    received: { quantity: string; state: string }[]
  }>('GET', `chain/addresses/${address}`)
  return received.filter(
    (transfer) => transfer.quantity === quantity && transfer.state !== 'FAILED',
  ).length
}

/**
 * How often the venue was asked for it. An exchange hears no reference of ours, but the amount,
 * with or without its fee.
 */
async function askedOf(
  world: World,
  { external_id, venue, asset, quantity }: Sent,
): Promise<number> {
  const fee = venue === 'kraken' ? (asset === 'EUR' ? 1 : 0.0001) : 0
  const amounts = [Number(quantity), Number(quantity) + fee].map((amount) => amount.toFixed(8))
  const counts = await world.sandbox.control<
    { venue: string; operation: string; reference: string; count: number }[]
  >('GET', 'counts')
  return counts
    .filter((count) => count.venue === venue && count.operation === SEND[venue])
    .filter(
      ({ reference }) =>
        reference === external_id ||
        reference === external_id.replaceAll('-', '') ||
        amounts.includes(Number(reference.split(' ').at(-1)).toFixed(8)),
    )
    .reduce((sum, count) => sum + count.count, 0)
}

type Row = {
  external_id: string
  state: string
  reason: string | null
  asset: string
  quantity: string
  destination_address: string
  own_transfer: boolean
}

const rowOf = async (world: World, id: string): Promise<Row> =>
  present(
    (
      await world.db.query<Row>(sql`
        select external_id, state, reason, asset, quantity, destination_address, own_transfer
        from withdrawals
        where workspace = ${world.workspace}
          and id = ${id}`)
    )[0],
    `withdrawal ${id}`,
  )

/** `captured` or `released` when everything that was blocked for these ended that way. */
async function holdOf(world: World, causes: string[]): Promise<string> {
  const holds = await world.db.query<{
    state: string
    quantity: string
    captured: string
    released: string
  }>(sql`
    select state, quantity, captured, released
    from holds
    where workspace = ${world.workspace}
      and cause_id = any(${causes}::uuid[])`)
  if (holds.length === 0) return 'none'
  const ends = new Set(
    holds.map((hold) =>
      hold.captured === hold.quantity
        ? 'captured'
        : hold.released === hold.quantity
          ? 'released'
          : `${hold.state} ${hold.captured} ${hold.released} of ${hold.quantity}`,
    ),
  )
  return [...ends].toSorted().join(', ')
}

const bookingsOf = async (world: World, id: string): Promise<string[]> =>
  (
    await world.db.query<{ type: string }>(sql`
      select type
      from bookings
      where workspace = ${world.workspace}
        and reference_id = ${id}
      order by type`)
  ).map((row) => row.type)

type Deposit = { id: string; state: string; own_transfer: boolean; quantity: string }

const arrivalsOf = (world: World, id: string) =>
  world.db.query<Deposit>(
    sql`
      select id, state, own_transfer, quantity
      from deposits
      where workspace = ${world.workspace}
        and related_withdrawal_id = ${id}`,
  )

/** `arrives`: where an own transfer comes in. */
export async function transferred(
  world: World,
  venue: VenueKey,
  id: string,
  expected: Expectation,
  arrives?: VenueKey,
): Promise<Outcome | undefined> {
  const row = await rowOf(world, id)
  if (!FINAL.includes(row.state)) return undefined
  const wrong: string[] = []
  if (arrives !== undefined && row.state === 'SUCCESS') {
    const arrivals = await arrivalsOf(world, id)
    if (!arrivals.some((arrival) => arrival.state === 'SUCCESSFUL')) {
      await world.poll(arrives)
      return undefined
    }
    if (arrivals.length !== 1) wrong.push(`${arrivals.length} arrivals`)
    const booked = (await bookingsOf(world, arrivals[0]?.id ?? '')).filter(
      (booking) => booking !== 'TRANSFER_FEE',
    )
    if (booked.join() !== 'TRANSFER') wrong.push(`arrival booked as ${booked.join()}`)
  }
  const sent: Sent = {
    id,
    external_id: row.external_id,
    venue,
    asset: row.asset,
    quantity: row.quantity,
    address: row.destination_address,
  }
  const [effects, asked, hold] = [
    await effectsOf(world, sent),
    await askedOf(world, sent),
    await holdOf(world, [id]),
  ]
  const bookings = await bookingsOf(world, id)
  const fees = bookings.filter((booking) => booking.endsWith('_FEE')).length
  const moved = bookings.filter((booking) => !booking.endsWith('_FEE')).join()
  const [state, left, ended, booked] =
    expected === 'refused'
      ? ['REJECTED', 0, arrives === undefined ? 'released' : 'none', '']
      : [
          'SUCCESS',
          1,
          arrives === undefined ? 'captured' : 'none',
          arrives === undefined ? 'WITHDRAWAL' : 'TRANSFER',
        ]
  if (row.state !== state) wrong.push(`state ${row.state} (${row.reason}) instead of ${state}`)
  if (effects !== left) wrong.push(`left ${effects} times`)
  // What was refused while nobody lived to note it has to be asked for again: nothing had left.
  if (expected !== 'refused' && asked !== 1) wrong.push(`asked ${asked} times`)
  if (hold !== ended) wrong.push(`hold ${hold} instead of ${ended}`)
  if (moved !== booked || fees > 1) wrong.push(`booked ${bookings.join() || 'nothing'}`)
  return { state: row.state, asked, effects, hold, wrong }
}

/** Blocked, and not called ended, while nobody knows. */
async function withheld(world: World, id: string, own: boolean): Promise<string[]> {
  const { state, reason } = await rowOf(world, id)
  const hold = await holdOf(world, [id])
  return [
    ...(['PENDING', 'UNKNOWN'].includes(state) && (state !== 'UNKNOWN' || reason !== null)
      ? []
      : [`${state} (${reason}) while the venue is silent`]),
    ...(hold.startsWith('OPEN 0 0') || (own && hold === 'none')
      ? []
      : [`hold ${hold} while the venue is silent`]),
  ]
}

// ---------------------------------------------------------------- ways out

const routes = new WeakMap<World, Map<string, Promise<string>>>()

/** A route is made once for each world. */
function once(world: World, name: string, make: () => Promise<string>): Promise<string> {
  const known = routes.get(world) ?? new Map<string, Promise<string>>()
  routes.set(world, known)
  const route = known.get(name) ?? make()
  known.set(name, route)
  return route
}

type Way = {
  from: string
  asset: string
  protocol: string
  address(world: World): Promise<string>
  transfer?(world: World): Promise<object>
  prepare?(world: World, address: string): Promise<unknown>
  allow?: boolean
}

async function makeRoute(world: World, name: string, way: Way): Promise<string> {
  const { call, customer } = world
  const address = await way.address(world)
  await way.prepare?.(world, address)
  const from = await world.wallet(way.from)
  const to = await call<Wallet>('POST', '/treasury/wallets', {
    type: 'CUSTOMER',
    asset: way.asset,
    address,
    label: name,
    account_id: customer.account_id,
    customer_id: customer.id,
    access_type: 'EXTERNAL',
  })
  const { id } = await call<{ id: string }>('POST', '/treasury/wallets/routes', {
    from_wallet_id: from.id,
    to_wallet_id: to.id,
    protocol: way.protocol,
    label: name,
    transfer: (await way.transfer?.(world)) ?? { to: {} },
  })
  if (way.allow !== true) return id
  await call('PUT', `/treasury/wallets/routes/${id}/allow`, {})
  await until('the allow-list', async () =>
    (
      await call<{ id: string; transfer: { to: { on_allowlist?: boolean } } }[]>(
        'GET',
        '/treasury/wallets/routes',
      )
    ).find((route) => route.id === id && route.transfer.to.on_allowlist),
  )
  return id
}

export const someone = async (world: World) =>
  (await world.sandbox.control<{ address: string }>('POST', 'chain/addresses', { protocol: 'BTC' }))
    .address
const bob = async (world: World) =>
  present(
    (
      await world.sandbox.control<{ accounts: { name: string; iban: string }[] }>(
        'GET',
        'bank/accounts',
      )
    ).accounts.find((account) => account.name === 'Bob Example'),
    'Bob',
  ).iban
const payee =
  (more: object = {}) =>
  async () => ({ to: { name: 'Bob Example', reference: 'thanks', ...more } })
const VAULT: Way = {
  from: 'Vault BTC',
  asset: 'BTC',
  protocol: 'BTC',
  address: someone,
  transfer: async () => ({ from: {}, to: {} }),
  allow: true,
}

const WAYS: Readonly<Record<string, Way & { venue: VenueKey }>> = {
  'withdrawal: vault': { ...VAULT, venue: 'fireblocks' },
  'withdrawal: exchange with keys': {
    venue: 'kraken',
    from: 'Kraken BTC',
    asset: 'BTC',
    protocol: 'BTC',
    address: someone,
    transfer: async () => ({ from: { key: 'faults' }, to: {} }),
    prepare: (world, address) =>
      world.sandbox.control('POST', 'kraken/withdrawal-keys', {
        key: 'faults',
        asset: 'BTC',
        address,
      }),
  },
  'withdrawal: exchange without keys': {
    venue: 'bitstamp',
    from: 'Bitstamp BTC',
    asset: 'BTC',
    protocol: 'BTC',
    address: someone,
  },
  'withdrawal: managed wallet': {
    venue: 'managed',
    from: 'Managed BTC',
    asset: 'BTC',
    protocol: 'BTC',
    address: someone,
  },
  'withdrawal: bank SEPA': {
    venue: 'bank',
    from: 'Bank EUR',
    asset: 'EUR',
    protocol: 'SEPA',
    address: bob,
    transfer: payee(),
  },
  'withdrawal: bank FOREIGN': {
    venue: 'bank',
    from: 'Bank EUR',
    asset: 'EUR',
    protocol: 'FOREIGN',
    address: bob,
    transfer: payee({ bic: 'OTHRATWWXXX' }),
  },
}

const customersOwn = (name: string, { venue, ...way }: Way & { venue: VenueKey }): Flow => ({
  name,
  venue,
  send: SEND[venue],
  points: SENDING,
  refused: REFUSED,
  ...(venue === 'fireblocks' ? { api: around('withdrawal', 'create') } : {}),
  prepare: (world) => once(world, name, () => makeRoute(world, name, way)),
  async begin(world, expected, key) {
    const route = await once(world, name, () => makeRoute(world, name, way))
    const quantity = world.quantity(way.asset)
    const { id } = await world.call<{ id: string }>(
      'POST',
      `/treasury/wallets/routes/${route}/withdrawals`,
      { account_id: world.customer.account_id, speed_level: 'DEFAULT', quantity },
      key,
    )
    return {
      subject: id,
      marks: [id],
      outcome: () => transferred(world, venue, id, expected),
      waiting: () => withheld(world, id, false),
    }
  },
})

const ownTransfer = (
  name: string,
  venue: VenueKey,
  label: string,
  arrives: VenueKey,
  asset: string,
): Flow => ({
  name,
  venue,
  send: SEND[venue],
  points: [...SENDING],
  refused: REFUSED,
  async begin(world, expected, key) {
    const route = await world.route(label)
    const { id } = await world.call<{ id: string }>(
      'POST',
      `/treasury/wallets/routes/${route}/withdrawals`,
      { speed_level: 'DEFAULT', quantity: world.quantity(asset) },
      key,
    )
    return {
      subject: id,
      marks: [id],
      outcome: () => transferred(world, venue, id, expected, arrives),
      waiting: () => withheld(world, id, true),
    }
  },
})

const vaultRoute = (world: World, name = 'withdrawal: vault') =>
  once(world, name, () => makeRoute(world, name, VAULT))
const OTHER_ROUTE = 'batch: another destination'

/**
 * Two payments: to one destination they are one withdrawal, to two of them two outputs of one
 * transaction.
 */
const batch = (name: string, routes: (world: World) => Promise<string[]>, made: number): Flow => ({
  name,
  venue: 'fireblocks',
  send: SEND.fireblocks,
  points: SENDING,
  refused: REFUSED,
  api: around('batch', 'prepare', 'submit'),
  prepare: routes,
  async begin(world, expected, key) {
    const withdrawals = (await routes(world)).map((route_id) => ({
      route_id,
      quantity: world.quantity('BTC'),
      speed_level: 'DEFAULT',
      account_id: world.customer.account_id,
    }))
    const requests = await world.call<{ id: string; prepare_id: string; bundled: boolean }[]>(
      'POST',
      '/treasury/withdrawals/batch/prepare',
      { withdrawals },
      key,
    )
    const submit = { withdrawals: requests }
    const rows = await world.call<{ id: string }[]>(
      'POST',
      '/treasury/withdrawals/batch/submit',
      submit,
      `${key}-submit`,
    )
    const again = await world.call<{ id: string }[]>(
      'POST',
      '/treasury/withdrawals/batch/submit',
      submit,
    )
    const ids = rows.map((row) => row.id)
    const wrong = [
      ...(rows.length === made && (made > 1 || requests[0]?.bundled === true)
        ? []
        : [`${rows.length} withdrawals of ${requests.length} requests`]),
      ...(again.map((withdrawal) => withdrawal.id).join() === ids.join()
        ? []
        : ['a repeated submit made other withdrawals']),
    ]
    const prepared = async () =>
      (await holdOf(
        world,
        requests.map((request) => request.id),
      )) === 'released'
        ? []
        : ['what was prepared is still blocked']
    return {
      subject: present(ids[0], 'the batch makes a withdrawal'),
      marks: ids,
      async outcome() {
        const ends: Outcome[] = []
        for (const id of ids) {
          const end = await transferred(world, 'fireblocks', id, expected)
          if (end === undefined) return undefined
          ends.push(end)
        }
        const [first] = ends
        return (
          first && {
            ...first,
            wrong: [
              ...new Set(
                ends.flatMap((end) => [
                  ...end.wrong,
                  ...(end.state === first.state ? [] : [`also ${end.state}`]),
                ]),
              ),
              ...wrong,
              ...(await prepared()),
            ],
          }
        )
      },
      waiting: async () => (await Promise.all(ids.map((id) => withheld(world, id, false)))).flat(),
    }
  },
})

const BATCHES: readonly Flow[] = [
  batch(
    'batch: vault, two payments in one',
    async (world) => [await vaultRoute(world), await vaultRoute(world)],
    1,
  ),
  {
    ...batch(
      'batch: vault, two destinations in one',
      async (world) => [await vaultRoute(world), await vaultRoute(world, OTHER_ROUTE)],
      2,
    ),
    api: [],
  },
]

const job: Flow = {
  name: 'transfer job: vault to exchange',
  venue: 'fireblocks',
  send: SEND.fireblocks,
  points: RUNNING,
  async begin(world, expected, key) {
    const route = await world.route('Vault to Bitstamp BTC')
    const body = {
      route,
      active: true,
      interval: 15,
      speed_level: 'DEFAULT',
      condition_type: 'CONDITIONAL',
      quantity: world.quantity('BTC'),
      conditions: [{ balance_side: 'from', predicate: 'GT', quantity: '0.5' }],
    }
    const made = await world.call<{ id: string }>('POST', '/treasury/jobs', body, key)
    const transfers = () =>
      world.db.query<{ id: string }>(
        sql`
          select id
          from withdrawals
          where workspace = ${world.workspace}
            and job_id = ${made.id}`,
      )
    const runs = () =>
      world.db.query<{ state: string; finished_at: number }>(
        sql`
          select state, finished_at
          from job_runs
          where workspace = ${world.workspace}
            and job_id = ${made.id}`,
      )
    let stopped = false
    let answered = 0
    return {
      subject: made.id,
      marks: [made.id],
      async outcome() {
        const [first, ...more] = await transfers()
        if (first === undefined) {
          // Those of the hour that has passed for the service and not here: before one of them its
          // tick is still due.
          const skipped = (await runs()).filter(
            (run) => run.state !== 'TRANSFERRED' && run.finished_at > Date.now(),
          ).length
          if (expected === 'late' && skipped > answered) {
            // Its venue was silent at that tick and the next one is a quarter of an hour away:
            // activated again it runs at once.
            for (const active of [false, true])
              await world.call('PUT', '/treasury/jobs', { ...body, id: made.id, active })
            answered = skipped
          }
          return undefined
        }
        // Its next tick is another transfer.
        if (!stopped)
          await world.call('PUT', '/treasury/jobs', { ...body, id: made.id, active: false })
        stopped = true
        const ended = await transferred(world, 'fireblocks', first.id, expected, 'bitstamp')
        const told = (await runs())
          .map((run) => run.state)
          .filter((state) => expected !== 'late' || (state !== 'FAILED' && state !== 'SKIPPED'))
          .join()
        return (
          ended && {
            ...ended,
            wrong: [
              ...ended.wrong,
              ...(more.length === 0 ? [] : [`${more.length + 1} transfers`]),
              ...(told === 'TRANSFERRED' ? [] : [`runs ${told}`]),
            ],
          }
        )
      },
      // A run that cannot ask the venue is SKIPPED or FAILED with its reason and makes nothing; one
      // that could may wait.
      waiting: async () => {
        const [first] = await transfers()
        return first === undefined ? [] : withheld(world, first.id, true)
      },
    }
  },
}

// ---------------------------------------------------------------- wallets

type MadeWallet = { id: string; state: string; address: string; foreign_id: string | null }

const walletFlow = (
  name: string,
  venue: 'fireblocks' | 'managed',
  from: string,
  send: string,
  configuration: object,
): Flow => ({
  name,
  venue,
  send,
  points: venue === 'managed' ? [...MAKING, ...around('wallet', 'find')] : MAKING,
  refused: MAKING,
  lost: around('wallet', 'find'),
  async begin(world, expected, key) {
    const { venue_id, service_id } = await world.wallet(from)
    const label = `Made ${newId()}`
    const { customer } = world
    const { id } = await world.call<MadeWallet>(
      'POST',
      '/treasury/wallets',
      {
        type: 'CUSTOMER',
        asset: 'BTC',
        address: '',
        label,
        venue_id,
        service_id,
        account_id: customer.account_id,
        customer_id: customer.id,
        access_type: 'INTERNAL',
        configuration: { create_external_wallet: true, ...configuration },
      },
      key,
    )
    const read = async () =>
      present(
        (
          await world.db.query<MadeWallet>(
            sql`
              select id, state, address, foreign_id
              from wallets
              where workspace = ${world.workspace}
                and id = ${id}`,
          )
        )[0],
        `wallet ${id}`,
      )
    const there = () =>
      venue === 'managed'
        ? world.outside(
            `
          select wallet_id
          from managed_wallets
          where label = ?`,
            label,
          ).length
        : vaultAccounts(world, id)
    return {
      subject: id,
      marks: [id],
      async outcome() {
        const wallet = await read()
        if (wallet.state === 'CREATING') return undefined
        const [effects, asked] = [await there(), await world.sandbox.received(venue, send, id)]
        const [state, made] = expected === 'refused' ? ['FAILED', 0] : ['ACTIVE', 1]
        const wrong = [
          ...(wallet.state === state ? [] : [`state ${wallet.state} instead of ${state}`]),
          ...(effects === made ? [] : [`made ${effects} times`]),
          ...(expected === 'refused' || asked === 1 ? [] : [`asked ${asked} times`]),
          ...(wallet.state !== 'ACTIVE' || wallet.address !== '' ? [] : ['no address']),
        ]
        return { state: wallet.state, asked, effects, hold: 'none', wrong }
      },
      waiting: async () => {
        const { state } = await read()
        return state === 'CREATING' ? [] : [`${state} while the venue is silent`]
      },
    }
  },
})

async function vaultAccounts(world: World, reference: string): Promise<number> {
  const { accounts } = await world.sandbox.control<{
    accounts: { customer_ref_id: string | null }[]
  }>('GET', 'fireblocks')
  return accounts.filter((account) => account.customer_ref_id === reference).length
}

// ---------------------------------------------------------------- what arrives

const ASSIGNED = 'DEPOSIT,DEPOSIT_ASSIGNMENT'

async function arrived(
  world: World,
  venue: VenueKey,
  quantity: string,
  rows: readonly Deposit[],
): Promise<Outcome | undefined> {
  const [first] = rows
  if (first?.state === 'PENDING' || first === undefined) {
    await world.poll(venue)
    return undefined
  }
  const booked = (await Promise.all(rows.map((row) => bookingsOf(world, row.id))))
    .flat()
    .toSorted()
    .join()
  const wrong = [
    ...(rows.length === 1 ? [] : [`${rows.length} deposits`]),
    ...(first.state === 'SUCCESSFUL' ? [] : [`state ${first.state} instead of SUCCESSFUL`]),
    ...(booked === ASSIGNED ? [] : [`booked ${booked}`]),
    ...(first.quantity === quantity ? [] : [`quantity ${first.quantity}`]),
  ]
  return { state: first.state, asked: null, effects: rows.length, hold: 'none', wrong }
}

const depositsOf = (world: World, venue: VenueKey, quantity: string) =>
  world.db.query<Deposit>(sql`
    select id, state, own_transfer, quantity
    from deposits
    where workspace = ${world.workspace}
      and venue_id = ${world.venues[venue]}
      and quantity = ${quantity}
      and not own_transfer
      and related_withdrawal_id is null
    order by id`)

const depositFlow = (name: string, venue: VenueKey, label: string): Flow => ({
  name,
  venue,
  points: ARRIVING,
  async begin(world) {
    const { address, asset } = await world.wallet(label)
    const quantity = world.quantity(asset)
    if (venue === 'bank')
      await world.sandbox.control('POST', 'bank/wire', {
        to_iban: address,
        quantity,
        currency: 'EUR',
        reference: 'thanks',
      })
    else await world.sandbox.control('POST', 'chain/send', { asset, quantity, to_address: address })
    return {
      subject: world.venues[venue],
      marks: [quantity],
      outcome: async () =>
        arrived(world, venue, quantity, await depositsOf(world, venue, quantity)),
      waiting: async () =>
        (await depositsOf(world, venue, quantity)).length === 0
          ? []
          : ['seen while the venue is silent'],
    }
  },
})

const nobodysRoute = (world: World) =>
  once(world, 'bank return', () =>
    makeRoute(world, 'bank return', {
      from: 'Bank EUR',
      asset: 'EUR',
      protocol: 'SEPA',
      address: async () => NOBODYS_IBAN,
      transfer: payee(),
    }),
  )

/** A payment that succeeded comes back, because nobody is there. */
const bankReturn: Flow = {
  name: 'bank return',
  venue: 'bank',
  points: ARRIVING,
  prepare: nobodysRoute,
  async begin(world, _expected, key) {
    const route = await nobodysRoute(world)
    const quantity = world.quantity('EUR')
    const { id } = await world.call<{ id: string }>(
      'POST',
      `/treasury/wallets/routes/${route}/withdrawals`,
      { account_id: world.customer.account_id, speed_level: 'DEFAULT', quantity },
      key,
    )
    return {
      subject: world.venues.bank,
      marks: [id, quantity],
      async outcome() {
        const sent = await transferred(world, 'bank', id, 'done')
        const back = sent && (await arrived(world, 'bank', quantity, await arrivalsOf(world, id)))
        return (
          sent &&
          back && {
            ...back,
            asked: sent.asked,
            effects: sent.effects,
            hold: sent.hold,
            wrong: [...sent.wrong, ...back.wrong],
          }
        )
      },
      waiting: async () =>
        (await arrivalsOf(world, id)).length === 0 ? [] : ['returned while the bank is silent'],
    }
  },
}

export const TREASURY_FLOWS: readonly Flow[] = [
  ...Object.entries(WAYS).map(([name, way]) => customersOwn(name, way)),
  ...BATCHES,
  job,
  ownTransfer(
    'own transfer: vault to exchange',
    'fireblocks',
    'Vault to Kraken BTC',
    'kraken',
    'BTC',
  ),
  ownTransfer('own transfer: exchange to bank', 'kraken', 'Kraken to bank EUR', 'bank', 'EUR'),
  ownTransfer('own transfer: bank to exchange', 'bank', 'Bank to Bitstamp EUR', 'bitstamp', 'EUR'),
  walletFlow('wallet creation: vault', 'fireblocks', 'Vault BTC', 'create_account', {
    protocol: 'BTC',
  }),
  walletFlow('wallet creation: managed wallet', 'managed', 'Managed BTC', 'create_wallet', {
    customer_id: 'kontor',
  }),
  depositFlow('deposit: vault', 'fireblocks', 'Vault BTC'),
  depositFlow('deposit: exchange with keys', 'kraken', 'Kraken BTC'),
  depositFlow('deposit: exchange without keys', 'bitstamp', 'Bitstamp BTC'),
  depositFlow('deposit: managed wallet', 'managed', 'Managed BTC'),
  depositFlow('deposit: bank', 'bank', 'Bank EUR'),
  bankReturn,
]
