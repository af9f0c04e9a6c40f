/** The general ledger in the bank's own numbers: all is there, and the sums are the ledger's. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { absolute, decimal, format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ACCOUNT_TYPES } from '../../core/account-types.ts'
import { refusalOf, testServer } from '../../http/testing.ts'
import type { TestServer } from '../../http/testing.ts'
import { DEBIT_NORMAL } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { openMovements } from '../../treasury/testing/movements.testing.ts'
import { fiscalYearOf } from './datev-days.ts'
import { COLUMNS } from './datev-lines.ts'
import { postingsOf } from './datev-file.ts'
import { generalLedgerEndpoints } from './general-ledger.http.ts'
import type { DatevExport, GeneralLedgerLine, UnnumberedAccounts } from './general-ledger.schema.ts'

const DATEV = { consultant: 1001, client: 7, account_length: 4, fiscal_year_start: '01-01' }
type Side = 'DEBIT' | 'CREDIT'

describe('the general ledger', () => {
  let place: Awaited<ReturnType<typeof openMovements>>
  let api: TestServer
  let period: string
  before(async () => {
    place = await openMovements()
    const { db, clock, principal } = place
    const permissions = new Set(['bookings.read'])
    api = await testServer({
      db,
      clock,
      endpoints: generalLedgerEndpoints({ db, clock }),
      authenticate: async () => ({ ...principal, permissions }),
    })
  })
  after(async () => {
    await api.close()
    await place.close()
  })

  /** What the setting says. */
  const numbered = (accounts: object[], datev: object | null = DATEV) =>
    place.settings({
      general_ledger: { accounts, ...(datev === null ? {} : { datev }) } as never,
    })
  const all = () => ACCOUNT_TYPES.map((type, index) => ({ type, number: String(1000 + index) }))
  /** All that is booked until now. */
  const untilNow = () => {
    place.clock.advance(1_000)
    return `from=${place.clock.now() - 86_400_000}&to=${place.clock.now()}`
  }
  const lines = async (query = ''): Promise<GeneralLedgerLine[]> =>
    (await api.call<GeneralLedgerLine[]>('GET', `/general-ledger?limit=1000${query}`)).data
  const datev = (asset = 'EUR') =>
    api.call<DatevExport>('GET', `/general-ledger/datev?asset=${asset}&${period}`)
  const file = async () => {
    const { headers, rawPayload } = await api.server.inject({
      method: 'GET',
      url: `/api/general-ledger/datev?asset=EUR&${period}`,
      headers: { accept: 'text/csv', authorization: 'Bearer all' },
    })
    return { headers, text: rawPayload.toString('latin1') }
  }

  /** The sums of each number, on each side. */
  function sumsOf(moved: readonly { number: string; side: Side; quantity: Decimal }[]) {
    const numbers = [...new Set(moved.map(({ number }) => number))].toSorted()
    const of = (number: string, side: Side) =>
      format(
        sum(moved.filter((m) => m.number === number && m.side === side).map((m) => m.quantity)),
      )
    return numbers.map((number) => ({
      number,
      debit: of(number, 'DEBIT'),
      credit: of(number, 'CREDIT'),
    }))
  }

  /** As who imports it reads it: the amount stands on `Konto` by its sign, else on `Gegenkonto`. */
  const readDatev = (text: string) =>
    text
      .split('\r\n')
      .slice(2, -1)
      .flatMap((row) => {
        const [amount = '', side, , , , , account = '', other = ''] = row.split(';')
        assert.match(amount, /^\d{1,10},\d\d$/)
        assert.equal(side, '"S"')
        const quantity = decimal(amount.replace(',', '.'))
        return [
          { number: account, side: 'DEBIT' as const, quantity },
          { number: other, side: 'CREDIT' as const, quantity },
        ]
      })

  /** By the balances, in the sign of debit: which no export has read. */
  const balances = async (asset: string) => {
    const rows = await place.db.query<{ type: string; total: string }>(sql`
      select a.type,
        sum(b.total) as total
      from balances b
      join accounts a on a.workspace = b.workspace
        and a.id = b.account_id
      where b.workspace = ${place.workspace}
        and b.asset = ${asset}
      group by a.type`)
    const signed = (type: string, total: Decimal) =>
      DEBIT_NORMAL.has(type as never) ? total : -total
    return new Map(rows.map(({ type, total }) => [type, format(signed(type, decimal(total)))]))
  }

  it('lists what has no number, with the reason, and leaves nothing out', async () => {
    await place.fund(place.alice.account_id, 'EUR', '1250.5')
    const found = await lines()
    assert.ok(found.length >= 2)
    assert.ok(found.every(({ number, reason }) => number === null && reason === 'NO_NUMBER'))
    const { data } = await api.call<UnnumberedAccounts[]>('GET', '/general-ledger/unnumbered')
    const euros = data.find(
      ({ account_type, asset }) => `${account_type} ${asset}` === 'CUSTOMER EUR',
    )
    assert.partialDeepStrictEqual(euros, {
      accounts: 1,
      account_id: place.alice.account_id,
      reason: 'NO_NUMBER',
    })
  })

  it('takes the number of one account before its type, and of one asset before all', async () => {
    const { account_id } = place.alice
    const other = await place.customer('Other')
    await place.fund(other.account_id, 'EUR', '5')
    await place.fund(other.account_id, 'BTC', '1')
    await numbered([
      { type: 'CUSTOMER', number: '1700' },
      { type: 'CUSTOMER', asset: 'BTC', number: '1701' },
      { account_id, asset: 'EUR', number: '1702' },
      { type: 'HOUSE', number: 'A-2' },
    ])
    const ofCustomers = (await lines()).filter((one) => one.account_type === 'CUSTOMER')
    const got = new Set(ofCustomers.map((one) => `${one.account_label} ${one.asset} ${one.number}`))
    assert.deepEqual([...got], ['Alice EUR 1702', 'Other EUR 1700', 'Other BTC 1701'])
    const { data } = await api.call<UnnumberedAccounts[]>('GET', '/general-ledger/unnumbered')
    assert.deepEqual([...new Set(data.map(({ account_type }) => account_type))], ['VENUE'])
  })

  it('refuses DATEV where something is missing, and says what', async () => {
    period = untilNow()
    await numbered(all().slice(1))
    assert.match(refusalOf(await datev()), /^400 3001 CONFLICT/)
    assert.match((await datev()).text, /has no number/)
    await numbered(all(), null)
    assert.match((await datev()).text, /for which client of DATEV/)
    await numbered([...all().slice(1), { type: 'CUSTOMER', number: '12345678' }])
    assert.match(refusalOf(await datev()), /^400 3001 FORMAT/)
    await numbered(all())
    assert.match(refusalOf(await datev('BTC')), /^400 3001 FORMAT asset/)
    const long = `asset=EUR&from=${place.clock.now() - 400 * 86_400_000}&to=${place.clock.now()}`
    assert.match(
      refusalOf(await api.call('GET', `/general-ledger/datev?${long}`)),
      /^400 3001 RANGE to/,
    )
    for (const query of ['', 'asset=EUR', 'asset=EUR&from=1700000000000'])
      assert.match(
        refusalOf(await api.call('GET', `/general-ledger/datev?${query}`)),
        /^400 3001 REQUIRED/,
      )
  })

  it('writes DATEV with its header, its columns and Windows-1252', async () => {
    await numbered(all())
    period = untilNow()
    const { headers, text } = await file()
    assert.equal(headers['content-type'], 'text/csv')
    assert.match(
      String(headers['content-disposition']),
      /filename="EXTF_Buchungsstapel_EUR_.*\.csv"/,
    )
    const [header = '', columns = '', first = ''] = text.split('\r\n')
    assert.match(header, /^"EXTF";700;21;"Buchungsstapel";13;\d{17};;;;;1001;7;\d{4}0101;4;\d{8};/)
    assert.equal(header.split(';').length, 31)
    assert.equal(header.split(';')[21], '"EUR"')
    assert.equal(COLUMNS.length, 125)
    assert.equal(columns.split(';').length, 125)
    assert.match(columns, /"BU-Schlüssel"/)
    assert.equal(first.split(';').length, 125)
    assert.match(first, /^\d+,\d\d;"S";;;;;\d{4};\d{4};;\d{4};"\d+";;;"OPENING/)
  })

  it('has the sums of the ledger, whatever is booked', async () => {
    const cents = fc.bigInt({ min: 1n, max: 10n ** 9n })
    const booked = fc.array(fc.record({ cents, who: fc.nat(3), back: fc.boolean() }), {
      minLength: 1,
      maxLength: 6,
    })
    const people = [place.alice, await place.customer('B'), await place.customer('C')]
    const owners = [...people.map(({ account_id }) => account_id), place.house.SUSPENSE ?? '']
    await place.db.query(sql`
      update accounts
      set overdraft = true
      where type = 'CUSTOMER'`)
    await numbered(all())
    await fc.assert(
      fc.asyncProperty(booked, async (bookings) => {
        for (const { cents: quantity, who, back } of bookings) {
          const amount = format(quantity * 10n ** 16n)
          await place[back ? 'spend' : 'fund'](owners[who] ?? '', 'EUR', amount)
        }
        period = untilNow()
        const moved = (await lines('&assets=EUR')).map((one) => ({
          number: one.number ?? '',
          side: one.debit === null ? ('CREDIT' as const) : ('DEBIT' as const),
          quantity: decimal(one.debit ?? one.credit ?? '0'),
        }))
        const { numbers } = (await datev()).data
        assert.deepEqual(numbers, sumsOf(moved))
        assert.deepEqual(sumsOf(readDatev((await file()).text)), numbers)
        const held = await balances('EUR')
        for (const { number, debit, credit } of numbers) {
          const type = ACCOUNT_TYPES[Number(number) - 1000] ?? ''
          assert.equal(format(decimal(debit) - decimal(credit)), held.get(type) ?? '0', type)
        }
      }),
      { numRuns: 6 },
    )
  })
})

describe('a booking of several legs as pairs', () => {
  const quantities = fc.array(fc.bigInt({ min: 1n, max: 1000n }), { minLength: 1, maxLength: 6 })
  it('has the same sums on each number and side, in as few pairs as legs allow', () => {
    fc.assert(
      fc.property(quantities, quantities, (debits, credits) => {
        const rest = sum(debits) - sum(credits)
        const legs = [
          ...debits.map((quantity, at) => ({ number: `D${at}`, side: 'DEBIT' as const, quantity })),
          ...credits.map((quantity, at) => ({
            number: `C${at}`,
            side: 'CREDIT' as const,
            quantity,
          })),
          ...(rest === 0n
            ? []
            : [
                {
                  number: 'R',
                  side: rest > 0n ? ('CREDIT' as const) : ('DEBIT' as const),
                  quantity: absolute(rest),
                },
              ]),
        ]
        const postings = postingsOf(legs)
        assert.ok(postings.length < legs.length)
        for (const { number, side, quantity } of legs) {
          const own = postings.filter(
            (one) => (side === 'DEBIT' ? one.debit : one.credit) === number,
          )
          assert.equal(sum(own.map(({ amount }) => amount)), quantity)
        }
      }),
    )
  })
})

describe('the fiscal year', () => {
  it('begins on its day', () => {
    assert.equal(fiscalYearOf('2026-06-30', '07-01'), '2025-07-01')
    assert.equal(fiscalYearOf('2026-07-01', '07-01'), '2026-07-01')
    assert.equal(fiscalYearOf('2026-01-01', '01-01'), '2026-01-01')
  })
})
