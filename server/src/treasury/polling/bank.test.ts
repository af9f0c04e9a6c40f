/**
 * The treasury at the simulated bank, by files as in production: after each story our books of the
 * account equal the bank's.
 */
import { workerCaller } from '../../http/index.ts'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createCustomer } from '../../customers/index.ts'
import type { Customer } from '../../customers/index.ts'
import { decimal, format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { testServer } from '../../http/testing.ts'
import { balancesOf, bookingsOf, houseAccounts, verifyBooks } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { adapterFactories } from '../../venues/index.ts'
import { startSandbox } from '../../venues/sandbox-process.ts'
import type { SandboxProcess } from '../../venues/sandbox-process.ts'
import type { Deposit } from '../deposits/deposits.schema.ts'
import { treasuryEndpoints, treasuryTasks } from '../index.ts'
import { openWorkplace } from '../testing/venue.fixture.ts'
import type { Workplace } from '../testing/venue.fixture.ts'
import { createWallet } from '../wallets/wallets.ts'
import type { Wallet, WalletDraft } from '../wallets/wallets.schema.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'

const UNKNOWN_IBAN = 'NL91ABNA0417164300'
const EVERYTHING = new Set([
  'treasury.routes.read',
  'treasury.routes.write',
  'treasury.deposits.read',
  'treasury.withdrawals.read',
  'treasury.withdrawals.create',
  'assignments.read',
  'assignments.create',
  'matchings.write',
])

describe('the treasury at the bank', () => {
  let sandbox: SandboxProcess
  let place: Workplace
  let server: Awaited<ReturnType<typeof testServer>>
  let alice: Customer
  let house: Awaited<ReturnType<typeof houseAccounts>>
  let ours: { iban: string }
  let wallets: Record<'bank' | 'bob' | 'nobody' | 'overseas', Wallet>

  before(async () => {
    sandbox = await startSandbox()
    place = await openWorkplace()
    const { app, db, clock, workspace, caller, bank } = place
    const credentials = JSON.parse(await sandbox.credential('bank.json')) as {
      iban: string
      bic: string
      name: string
    }
    ours = credentials
    const { BANK } = adapterFactories({
      error: (_details, message) => {
        throw new Error(message)
      },
    })
    assert.ok(BANK)
    const at = (name: string) => join(sandbox.dir, 'bank/kontor', name)
    bank.real = await BANK({
      ...credentials,
      currency: 'EUR',
      outbox_dir: at('outbox'),
      inbox_dir: at('inbox'),
      foreign_fee: '12',
    })
    await db.query(
      sql`
        insert into workspaces (id, name, system_created_at, system_updated_at)
        values (${workspace}, 'ours', ${clock.now()}, ${clock.now()})`,
    )
    house = await houseAccounts(db, workspace)
    alice = await db.tx((tx) =>
      createCustomer(workerCaller(workspace, 'test'), tx, clock, {
        type: 'RETAIL',
        label: 'Alice',
        margin: 'DEFAULT',
        booking_schema: 'ADVANCED',
        ignore_balance_check: false,
        ignore_margin: false,
        first_name: 'Alice',
        last_name: 'A',
      }),
    )
    await app.lane.commit({
      workspace,
      class: 'fact',
      by: 'test',
      ledger: [
        {
          step: 'book',
          booking: {
            id: newId(),
            type: 'MANUAL',
            asset: 'EUR',
            legs: [
              { account_id: house.HOUSE, type: 'DEBIT', quantity: decimal('10000') },
              { account_id: alice.account_id, type: 'CREDIT', quantity: decimal('10000') },
            ],
          },
        },
      ],
    })
    await db.query(
      sql`
        insert into tasks (workspace, kind, subject_id, due_at)
        values (${workspace}, 'connect_venue', ${bank.id}, 0)`,
    )
    server = await testServer({
      db,
      clock,
      endpoints: treasuryEndpoints(app),
      authenticate: () => ({
        workspace,
        user_id: newId(),
        session_id: newId(),
        permissions: EVERYTHING,
      }),
    })
    await until(
      'the bank is connected',
      async () =>
        (
          await db.query(
            sql`
              select 1
              from venue_openings
              where venue_id = ${bank.id}
                and asset = 'EUR'`,
          )
        ).length > 0,
    )
    const draft = (address: string): Omit<WalletDraft, 'label' | 'access_type'> => ({
      type: 'CUSTOMER',
      asset: 'EUR',
      address,
      customer_id: alice.id,
      account_id: alice.account_id,
    })
    const make = (
      label: string,
      access_type: WalletDraft['access_type'],
      more: Omit<WalletDraft, 'label' | 'access_type'>,
    ) => db.tx((tx) => createWallet(caller, { tx, clock }, { label, access_type, ...more }))
    const bob =
      (await accounts()).find((account) => account.name === 'Bob Example')?.iban ?? assert.fail()
    wallets = {
      bank: await make('bank', 'INTERNAL', {
        type: 'VENUE',
        asset: 'EUR',
        address: ours.iban,
        venue_id: bank.id,
        service_id: bank.service_id,
        account_id: bank.accounts.VENUE,
      }),
      bob: await make('bob', 'EXTERNAL', draft(bob)),
      nobody: await make('nobody', 'EXTERNAL', draft(UNKNOWN_IBAN)),
      overseas: await make('overseas', 'EXTERNAL', draft('GB82WEST12345698765432')),
    }
  })
  after(async () => {
    try {
      assert.deepEqual((await verifyBooks(place.db, place.workspace)).faults, [])
    } finally {
      await server.close()
      await place.close()
      await sandbox.stop()
    }
  })

  type Account = { iban: string; name: string; owner: string; quantity: string }
  const accounts = async () =>
    (await sandbox.control<{ accounts: Account[] }>('GET', 'bank/accounts')).accounts
  const control = <T = unknown>(what: string, body: object = {}) =>
    sandbox.control<T>('POST', `bank/${what}`, body)
  /** World time by small steps: every wire makes each of its steps. */
  const days = async (milliseconds: number) => {
    for (let gone = 0; gone < milliseconds; gone += 5_000)
      await sandbox.control('POST', 'clock', { advance_ms: 5_000 })
  }
  /** Does what is due, with our clock going on, until it is so. */
  async function until<T>(
    what: string,
    probe: () => Promise<T>,
  ): Promise<Exclude<T, undefined | false>> {
    const { db, clock, workspace, app } = place
    const handlers = treasuryTasks(app)
    const end = Date.now() + 90_000
    for (;;) {
      const [task] = await db.query<{ kind: string; subject_id: string }>(
        sql`
          select kind, subject_id
          from tasks
          where due_at <= ${clock.now()}
            and kind = any(${Object.keys(handlers)})
          order by due_at, kind
          limit 1`,
      )
      if (task !== undefined) {
        const result = await handlers[task.kind]?.({ workspace, attempts: 1, ...task })
        if (result === 'done')
          await db.query(
            sql`
              delete from tasks
              where kind = ${task.kind}
                and subject_id = ${task.subject_id}`,
          )
        else
          await db.query(
            sql`
              update tasks
              set due_at = ${result?.again_at ?? 0}
              where kind = ${task.kind}
                and subject_id = ${task.subject_id}`,
          )
        continue
      }
      const found = await probe()
      if (found !== false && found !== undefined) return found as Exclude<T, undefined | false>
      if (Date.now() > end) throw new Error(`never happened: ${what}`)
      await pause(10)
      clock.advance(1_000)
    }
  }
  const total = async (account_id: string) =>
    format(
      (await balancesOf(place.db, place.workspace, account_id)).find(
        (balance) => balance.asset === 'EUR',
      )?.total ?? 0n,
    )
  const agrees = async () => {
    const there = (await accounts()).find((account) => account.iban === ours.iban)?.quantity
    await until(
      `our books agree with the bank's ${there}`,
      async () => (await total(place.bank.accounts.VENUE)) === there,
    )
  }
  const call = <Data>(method: 'GET' | 'POST', url: string, body?: unknown) =>
    server.call<Data>(method, url, { token: 'ours', ...(body === undefined ? {} : { body }) })
  const route = async (to: Wallet, protocol: string, transfer: Record<string, string>) =>
    call<{ id: string }>('POST', '/treasury/wallets/routes', {
      label: 'r',
      from_wallet_id: wallets.bank.id,
      to_wallet_id: to.id,
      protocol,
      transfer: { to: { name: 'Bob Example', reference: 'thanks', ...transfer } },
    })
  const pay = async (
    to: Wallet,
    quantity: string,
    protocol = 'SEPA',
    transfer: Record<string, string> = {},
  ) => {
    const made = await route(to, protocol, transfer)
    assert.equal(made.status, 200, made.text)
    const sent = await call<Withdrawal>(
      'POST',
      `/treasury/wallets/routes/${made.data.id}/withdrawals`,
      { quantity, speed_level: 'DEFAULT', account_id: alice.account_id },
    )
    assert.equal(sent.status, 200, sent.text)
    await until(
      'the bank accepts it',
      async () => (await withdrawal(sent.data.id)).sub_state === 'ACCP',
    )
    return sent.data
  }
  const withdrawal = async (id: string) =>
    (await call<Withdrawal>('GET', `/treasury/withdrawals/${id}`)).data
  const externals = async () =>
    (await call<Withdrawal[]>('GET', '/treasury/withdrawals')).data.filter(
      (row) => row.origin === 'EXTERNAL',
    )
  const deposits = async () => (await call<Deposit[]>('GET', '/treasury/deposits')).data
  const types = async (id: string) =>
    (await bookingsOf(place.db, place.workspace, id)).map((booking) => booking.type)
  const wire = (quantity: string, reference: string) =>
    control<{ wire_id: string; from_iban: string }>('wire', {
      from_name: 'Carol Example',
      to_iban: ours.iban,
      quantity,
      currency: 'EUR',
      reference,
    })

  it('asks a FOREIGN route for BIC or ABA, by their checksums', async () => {
    const fields = await call<{ to: { name: string; required: boolean }[] }>(
      'GET',
      `/treasury/wallets/routes/fields/${wallets.bank.id}/FOREIGN`,
    )
    assert.deepEqual(
      fields.data.to.map((row) => `${row.name} ${row.required}`),
      ['name true', 'reference true', 'bic false', 'credit_institution false', 'aba false'],
    )
    const refused = async (protocol: string, transfer: Record<string, string>) => {
      const { error_details, status } = await route(wallets.overseas, protocol, transfer)
      return `${status} ${error_details?.[0]?.code} ${error_details?.[0]?.path}`
    }
    assert.equal(await refused('FOREIGN', {}), '400 REQUIRED transfer.to.bic')
    assert.equal(await refused('FOREIGN', { bic: 'WESTGB2' }), '400 FORMAT transfer.to.bic')
    assert.equal(await refused('FOREIGN', { aba: '021000022' }), '400 FORMAT transfer.to.aba')
    assert.equal(await refused('SEPA', { bic: 'WESTGB2LXXX' }), '400 UNKNOWN_FIELD transfer.to.bic')
    assert.equal(
      (
        await route(wallets.overseas, 'FOREIGN', {
          aba: '021000021',
          credit_institution: 'West Bank',
        })
      ).status,
      200,
    )
  })

  it("pays abroad: slower, and what the bank charges is the withdrawal's fee", async () => {
    const before = await total(alice.account_id)
    const sent = await pay(wallets.bob, '250', 'FOREIGN', { bic: 'OTHRATWWXXX' })
    assert.equal(sent.fee_estimate, '12')
    await days(20_000)
    assert.equal((await withdrawal(sent.id)).state, 'PENDING')
    await days(15_000)
    await until('it succeeds and is charged', async () => {
      const row = await withdrawal(sent.id)
      return row.state === 'SUCCESS' && row.fee === '12.5'
    })
    assert.deepEqual((await types(sent.id)).toSorted(), ['WITHDRAWAL', 'WITHDRAWAL_FEE'])
    assert.equal(
      Number(before) - Number(await total(alice.account_id)),
      250,
      'the house bears the fee',
    )
    await agrees()
  })

  it('takes back what the bank returns after SUCCESS, to its account', async () => {
    const before = await total(alice.account_id)
    const sent = await pay(wallets.nobody, '33.3')
    await days(5_000)
    await until('it succeeds', async () => (await withdrawal(sent.id)).state === 'SUCCESS')
    await days(20_000)
    const returned = await until('it is returned', async () =>
      (await deposits()).find(
        (deposit) => deposit.related_withdrawal_id === sent.id && deposit.state === 'SUCCESSFUL',
      ),
    )
    assert.deepEqual(
      [returned.quantity, (await withdrawal(sent.id)).state, await total(alice.account_id)],
      ['33.3', 'SUCCESS', before],
    )
    await agrees()
  })

  it('reverses a deposit that the bank takes back, with an alert, at any balance', async () => {
    const before = await total(alice.account_id)
    const { wire_id, from_iban } = await wire('70', 'KD-1')
    const matched = await call('POST', '/accounts/matchings', {
      resource_id: alice.account_id,
      type: 'SOURCE_WITHOUT_REFERENCE',
      details: { asset: 'EUR', is_withdrawal_matching: false, source_address: from_iban },
    })
    assert.equal(matched.status, 200, matched.text)
    await days(15_000)
    const deposit = await until('it arrives', async () =>
      (await deposits()).find(
        (deposit) => deposit.quantity === '70' && deposit.state === 'SUCCESSFUL',
      ),
    )
    assert.equal(Number(await total(alice.account_id)) - Number(before), 70)
    await control('reverse', { wire_id })
    await until(
      'it is reversed',
      async () => (await deposits()).find((row) => row.id === deposit.id)?.state === 'REVERSED',
    )
    assert.deepEqual(
      [await total(alice.account_id), await types(deposit.id)],
      [before, ['DEPOSIT', 'DEPOSIT_ASSIGNMENT', 'REVERSAL', 'REVERSAL']],
    )
    const told = await place.db.query<{ data: { alert?: boolean } }>(
      sql`
        select data
        from events
        where workspace = ${place.workspace}
          and resource_id = ${deposit.id}
          and type = 'deposit.reversed'`,
    )
    assert.deepEqual(
      told.map((row) => row.data.alert),
      [true],
    )
    assert.deepEqual(await externals(), [])
    await agrees()
  })

  it('counts an entry once when the statement has it before the notification', async () => {
    for (const kind of ['LATE', 'TIMEOUT_AFTER_ACCEPT'] as const) {
      await sandbox.fault('bank', 'notification', kind, { delay_ms: 120_000 })
      const quantity = kind === 'LATE' ? '8.01' : '8.02'
      await wire(quantity, 'late')
      await days(15_000)
      await control('statement')
      const seen = await until(`${kind}: the statement tells it`, async () =>
        (await deposits()).find(
          (deposit) => deposit.quantity === quantity && deposit.state === 'SUCCESSFUL',
        ),
      )
      await days(125_000)
      await agrees()
      assert.deepEqual(
        (await deposits())
          .filter((deposit) => deposit.quantity === quantity)
          .map((deposit) => deposit.version),
        [seen.version],
      )
    }
  })

  it('integrates outside payments on SUSPENSE, and charges as costs', async () => {
    const [suspense, fees, before] = [
      await total(house.SUSPENSE),
      await total(house.FEE),
      await total(alice.account_id),
    ]
    await control('debit', {
      quantity: '15',
      to_iban: wallets.bob.address,
      to_name: 'Bob Example',
      reference: 'paid by hand',
    })
    await control('debit', { quantity: '4.5', reference: 'account charges' })
    await until('both are integrated', async () => (await externals()).length === 2)
    await control('statement')
    await agrees()
    const [payment, charge] = (await externals()).toSorted(
      (a, b) => Number(b.quantity) - Number(a.quantity),
    )
    assert.ok(payment !== undefined && charge !== undefined)
    assert.deepEqual(
      [payment.state, payment.quantity, payment.destination_address, await types(payment.id)],
      ['SUCCESS', '15', wallets.bob.address, ['WITHDRAWAL']],
    )
    assert.deepEqual(
      [charge.quantity, await types(charge.id), Number(await total(house.FEE)) - Number(fees)],
      ['4.5', ['WITHDRAWAL_FEE'], 4.5],
    )
    const assigned = await call('POST', `/treasury/withdrawals/${payment.id}/assignments`, [
      { account_id: alice.account_id, quantity: '15' },
    ])
    assert.equal(assigned.status, 200, assigned.text)
    assert.deepEqual(
      [await total(house.SUSPENSE), Number(before) - Number(await total(alice.account_id))],
      [suspense, 15],
    )
    assert.equal((await externals()).length, 2)
  })
})
