/** Statements as camt.053 say what the statement says, and are valid by the published schema. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { decimal, format, sum } from '../core/decimal.ts'
import type { Customer } from '../customers/index.ts'
import { refusalOf } from '../http/testing.ts'
import { DEBIT_NORMAL, putAsset } from '../ledger/index.ts'
import type { StatementLine } from '../ledger/index.ts'
import { sql } from '../store/sql.ts'
import { mustBeValidIfKnown } from '../venues/bank/schemas.testing.ts'
import { all, parseXml, required, text } from '../venues/bank/xml.ts'
import type { Element } from '../venues/bank/xml.ts'
import { openPapers } from './papers.testing.ts'

const XML = { accept: 'application/xml' }

describe('a statement as camt.053', () => {
  let papers: Awaited<ReturnType<typeof openPapers>>
  let alice: Customer
  before(async () => {
    papers = await openPapers()
    alice = await papers.reads(papers.place.alice, 'de', 'Europe/Berlin')
    const { db, workspace } = papers.place
    await db.query(sql`
      update accounts
      set overdraft = true
      where id = ${alice.account_id}`)
    const add = (code: string, kind: 'FIAT' | 'CRYPTO', scale: number) =>
      putAsset(db, workspace, { code, label: code, kind, scale, circulating_supply: null })
    await add('KWD', 'FIAT', 3)
    await add('USDX', 'FIAT', 2)
    await add('WIR', 'FIAT', 6)
    await add('TKN', 'CRYPTO', 2)
  })
  after(() => papers.close())

  const statementOf = ({ account_id }: Pick<Customer, 'account_id'>) =>
    `/bookings/accounts/${account_id}/statement`
  const house = () => papers.place.house.HOUSE

  /** Onto the customer's account; negative is off it. */
  const book = async (
    { account_id }: Customer,
    quantity: string,
    { asset = 'EUR', description = 'by hand' } = {},
  ): Promise<void> => {
    const isOff = quantity.startsWith('-')
    const amount = quantity.replace('-', '')
    const legs = [
      { account_id: house(), type: isOff ? 'CREDIT' : 'DEBIT', quantity: amount },
      { account_id, type: isOff ? 'DEBIT' : 'CREDIT', quantity: amount },
    ]
    const body = { asset, description, legs }
    const answer = await papers.api.call('POST', '/bookings', { token: 'all', body })
    assert.equal(answer.status, 200, answer.text)
  }

  /** Valid, and every one that it has. */
  async function statements(path: string): Promise<Element[]> {
    const xml = await papers.camt(path)
    await mustBeValidIfKnown('camt.053.001.08', xml)
    return all(parseXml(xml), 'BkToCstmrStmt', 'Stmt')
  }
  const amountOf = (of: Element): bigint =>
    decimal(required(of, 'Amt')) * (required(of, 'CdtDbtInd') === 'DBIT' ? -1n : 1n)
  const balanceOf = (statement: Element, code: string): bigint => {
    const found = all(statement, 'Bal').filter(
      (balance) => required(balance, 'Tp', 'CdOrPrtry', 'Cd') === code,
    )
    assert.equal(found.length, 1)
    return amountOf(found[0] as Element)
  }

  async function mustAgree(path: string, type: 'CUSTOMER' | 'FEE' = 'CUSTOMER') {
    const lines = (await papers.api.call<StatementLine[]>('GET', path)).data
    const found = await statements(path)
    assert.deepEqual(
      found.map((statement) => required(statement, 'Acct', 'Ccy')),
      [...new Set(lines.map(({ asset }) => asset))].toSorted(),
    )
    for (const statement of found) {
      const currency = required(statement, 'Acct', 'Ccy')
      const ofAsset = lines.filter(({ asset }) => asset === currency)
      const bookings = ofAsset.filter(({ line }) => line === 'BOOKING')
      const entries = all(statement, 'Ntry')
      const edge = (name: string) => ofAsset.find(({ line }) => line === name)?.balance
      assert.equal(format(balanceOf(statement, 'OPBD')), edge('OPENING'))
      assert.equal(format(balanceOf(statement, 'CLBD')), edge('CLOSING'))
      assert.equal(
        balanceOf(statement, 'OPBD') + sum(entries.map(amountOf)),
        balanceOf(statement, 'CLBD'),
      )
      const sign = DEBIT_NORMAL.has(type) ? -1n : 1n
      assert.deepEqual(
        entries.map((entry) => [required(entry, 'NtryRef'), amountOf(entry)]),
        bookings.map(({ booking_id, debit, credit }) => [
          booking_id?.replaceAll('-', ''),
          sign * (decimal(credit ?? '0') - decimal(debit ?? '0')),
        ]),
      )
      const references = entries.map((entry) => required(entry, 'AcctSvcrRef'))
      assert.equal(new Set(references).size, entries.length)
    }
    return found
  }

  it('has both balances, and each booking as an entry that is booked', async () => {
    await papers.place.settings({ brand: { name: 'Müller & Söhne <Bank>' } })
    const long = `Rechnung <17> & „mehr“ ${'lang '.repeat(60)}Ende 🏦`
    await book(alice, '1250.5', { description: long })
    await book(alice, '-1300.75')
    await book(alice, '0.125', { asset: 'KWD' })
    papers.place.clock.advance(60_000)
    const before = papers.place.clock.now()
    const [euros] = await mustAgree(`${statementOf(alice)}?to=${before}`)
    assert.ok(euros)
    assert.equal(format(balanceOf(euros, 'CLBD')), '-50.25')
    assert.equal(required(euros, 'FrToDt', 'ToDtTm'), new Date(before).toISOString())
    assert.equal(text(euros, 'ElctrncSeqNb'), null)
    assert.equal(required(euros, 'Acct', 'Svcr', 'FinInstnId', 'Nm'), 'Müller & Söhne <Bank>')
    const [entry] = all(euros, 'Ntry')
    assert.ok(entry)
    assert.equal(required(entry, 'Sts', 'Cd'), 'BOOK')
    assert.equal(required(entry, 'BkTxCd', 'Prtry', 'Cd'), 'MANUAL')
    assert.equal(required(entry, 'AddtlNtryInf'), 'Manuelle Buchung')
    assert.match(required(entry, 'ValDt', 'Dt'), /^\d{4}-\d\d-\d\d$/)
    const told = all(entry, 'NtryDtls', 'TxDtls', 'RmtInf', 'Ustrd').map((part) => part.text)
    assert.ok(told.length === 3 && told.every((part) => [...part].length <= 140))
    assert.equal(told.join('').replaceAll(' ', ''), long.replaceAll(' ', ''))
  })

  it('has the same Id for the same statement, and another message each time', async () => {
    const path = `${statementOf(alice)}?to=${papers.place.clock.now()}`
    const ids = async (of: string) => {
      const document = parseXml(await papers.camt(of))
      return [
        required(document, 'BkToCstmrStmt', 'GrpHdr', 'MsgId'),
        all(document, 'BkToCstmrStmt', 'Stmt', 'Id').map((id) => id.text),
      ] as const
    }
    const [first, again, other] = [
      await ids(path),
      await ids(path),
      await ids(`${path}&from=2020-01-01`),
    ]
    assert.notEqual(first[0], again[0])
    assert.deepEqual(first[1], again[1])
    assert.equal(new Set([...first[1], ...other[1]]).size, 4)
  })

  it('begins with the balance before the period, of any type of account', async () => {
    papers.place.clock.advance(60_000)
    const between = papers.place.clock.now()
    await book(alice, '7')
    const [euros] = await mustAgree(`${statementOf(alice)}?from=${between}&assets=EUR`)
    assert.ok(euros)
    assert.equal(format(balanceOf(euros, 'OPBD')), '-50.25')
    const { FEE } = papers.place.house
    const legs = [
      { account_id: FEE, type: 'DEBIT', quantity: '3.5' },
      { account_id: house(), type: 'CREDIT', quantity: '3.5' },
    ]
    const body = { asset: 'EUR', description: 'charge', legs }
    assert.equal((await papers.api.call('POST', '/bookings', { token: 'all', body })).status, 200)
    const [fees] = await mustAgree(statementOf({ account_id: FEE }), 'FEE')
    assert.ok(fees)
    assert.equal(format(balanceOf(fees, 'CLBD')), '3.5')
  })

  it('refuses what cannot be written, and says why', async () => {
    const customer = await papers.place.customer('Coins')
    const refused = async (asked = '') => {
      const path = statementOf(customer) + asked
      const answer = await papers.api.call('GET', path, { token: 'all', headers: XML })
      const [detail] = answer.error_details ?? []
      return `${refusalOf(answer)}: ${detail?.message}`
    }
    assert.match(await refused(), /^400 3001 REQUIRED assets: nothing was ever booked/)
    const [none] = await statements(`${statementOf(customer)}?assets=EUR`)
    assert.ok(none && all(none, 'Ntry').length === 0 && balanceOf(none, 'CLBD') === 0n)
    await book(customer, '0.00000001', { asset: 'BTC' })
    assert.match(
      await refused(),
      /^400 3001 SCALE assets: BTC has 8 decimals, and camt\.053 at most 5$/,
    )
    await book(customer, '1', { asset: 'EUR' })
    assert.match(await refused(), /at most 5: ask for EUR$/)
    await mustAgree(`${statementOf(customer)}?assets=EUR`)
    assert.match(await refused('?assets=USDX'), /^400 3001 FORMAT assets: USDX .* 3 capital/)
    assert.match(await refused('?assets=WIR'), /^400 3001 SCALE assets: WIR has 6 decimals/)
    assert.match(await refused('?assets=XYZ'), /^400 3001 UNKNOWN_ASSET assets: /)
    assert.match(await refused('?assets=TKN'), /^400 3001 FORMAT assets: TKN .* ISO 4217$/)
    await book(customer, '12345678901234567.89', { asset: 'EUR' })
    assert.match(
      await refused('?assets=EUR'),
      /^400 3001 RANGE assets: 12345678901234568\.89 EUR cannot stand in camt\.053/,
    )
  })

  it('is not what a browser gets that opens the address', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    const answer = await papers.api.server.inject({
      method: 'GET',
      url: `/api${statementOf(alice)}`,
      headers: { accept, authorization: 'Bearer all' },
    })
    assert.match(String(answer.headers['content-type']), /^application\/json/)
  })

  it('leads from the opening to the closing balance, whatever was booked', async () => {
    const cents = fc.integer({ min: -100_000_000, max: 100_000_000 }).filter((n) => n !== 0)
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 300 })
    const booked = fc.record({ cents, text, asset: fc.constantFrom('EUR', 'KWD') })
    let count = 0
    await fc.assert(
      fc.asyncProperty(fc.array(booked, { minLength: 1, maxLength: 6 }), async (bookings) => {
        const customer = await papers.place.customer(`Customer ${(count += 1)}`)
        await book(customer, '6000000')
        await book(customer, '6000000', { asset: 'KWD' })
        let middle: number | undefined
        for (const { cents, text, asset } of bookings) {
          const quantity = format((BigInt(cents) * 10n ** 18n) / 100n)
          const description = text.replaceAll(/\p{C}/gu, '').trim() || 'nothing'
          await book(customer, quantity, { asset, description })
          middle ??= papers.place.clock.now()
          papers.place.clock.advance(1_000)
        }
        await mustAgree(statementOf(customer))
        await mustAgree(`${statementOf(customer)}?from=${middle}`)
      }),
      { numRuns: 12 },
    )
  })
})
