/** Papers say what the API says, in the customer's language. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Customer } from '../customers/index.ts'
import { refusalOf } from '../http/testing.ts'
import type { StatementLine, TrialBalance } from '../ledger/index.ts'
import type { Withdrawal } from '../treasury/index.ts'
import { dataUrl, png } from '../access/logos.testing.ts'
import { PAYER } from '../treasury/deposits/deposits.testing.ts'
import { openPapers } from './papers.testing.ts'
import { MOST_BOOKINGS } from './statement.ts'

/** `1250.5` as a German reads it: `1.250,50`. */
const german = (quantity: string): string => {
  const [whole = '', fraction = ''] = quantity.split('.')
  return `${whole.replaceAll(/\B(?=(\d{3})+$)/g, '.')},${fraction.padEnd(2, '0')}`
}

describe('a paper', () => {
  let papers: Awaited<ReturnType<typeof openPapers>>
  let alice: Customer
  let greek: Customer
  before(async () => {
    papers = await openPapers()
    const { place, reads } = papers
    alice = await reads(place.alice, 'de', 'Europe/Berlin')
    greek = await reads(await place.customer('Ελένη Παπαδοπούλου & Борис Ян'), 'en', 'Asia/Tokyo')
    await place.settings({ brand: { name: 'Musterbank AG' } })
  })
  after(() => papers.close())

  const statementOf = ({ account_id }: Customer) => `/bookings/accounts/${account_id}/statement`
  const book = async (to: Customer, quantity: string, description: string): Promise<void> => {
    const body = {
      asset: 'EUR',
      description,
      legs: [
        { account_id: papers.place.house.HOUSE, type: 'DEBIT', quantity },
        { account_id: to.account_id, type: 'CREDIT', quantity },
      ],
    }
    const answer = await papers.api.call('POST', '/bookings', { token: 'all', body })
    assert.equal(answer.status, 200, answer.text)
  }

  it('of an account has every line of its statement, and is tagged', async () => {
    await book(alice, '1250.5', 'Rechnung 17')
    await book(alice, '1000000', 'Eine lange Beschreibung, die nicht in eine Zeile passt: Ende')
    const lines = (await papers.api.call<StatementLine[]>('GET', statementOf(alice))).data
    const { lines: shown, ...pdf } = await papers.pdf(statementOf(alice))
    assert.partialDeepStrictEqual(pdf, { pages: 1, language: 'de', tagged: true })
    assert.equal(pdf.title, 'Kontoauszug · Musterbank AG')
    for (const role of ['H1', 'H2', 'Table', 'TR', 'TH', 'TD']) assert.ok(pdf.roles.has(role), role)
    assert.deepEqual(shown.slice(0, 2), ['Musterbank AG', 'Kontoauszug'])
    assert.match(shown[2] ?? '', /^Konto\|Alice \(A-[0-9A-F]{8}\)$/)
    assert.ok(shown.some((line) => line.endsWith('Seite 1 von 1')))
    assert.match(shown.join('\n'), /Zeiten in Europe\/Berlin/)
    const euros = lines.filter(({ asset }) => asset === 'EUR')
    assert.ok(euros.length === 4)
    const balances = euros.map(({ balance }) => german(balance))
    const rows = shown.filter((line) => /^\d\d\.\d\d\.\d{4}, \d\d:\d\d\|/.test(line))
    assert.deepEqual(
      rows.map((row) => row.split('|').at(-1)),
      balances,
    )
    assert.match(rows[1] ?? '', /\|Manuelle Buchung\|Rechnung 17\|1\.250,50\|1\.250,50$/)
    assert.ok(shown.some((line) => line === 'Summe|0,00|1.001.250,50'))
    assert.match(shown.join(' '), /passt: Ende/)
  })

  it('has name, address and logo of the organisation at its head', async () => {
    const brand = {
      name: 'Musterbank AG',
      legal_name: 'Musterbank Aktiengesellschaft',
      address: ['Musterstraße 1', '60311 Frankfurt am Main'],
      contact: ['+49 69 1234567'],
      accent: '#00693e',
    }
    const { place } = papers
    try {
      for (const logo of [
        undefined,
        dataUrl(png(), 'image/png'),
        dataUrl(png({ colour: 6, pixels: Buffer.alloc(97 * 12) }), 'image/png'),
      ]) {
        await place.settings({ brand: { ...brand, ...(logo === undefined ? {} : { logo }) } })
        const { lines, roles } = await papers.pdf(statementOf(alice))
        for (const line of ['Musterbank AG', brand.legal_name, ...brand.address, ...brand.contact])
          assert.ok(
            lines.some((shown) => shown.includes(line)),
            `${line} is not among ${lines.join('\n')}`,
          )
        assert.equal(roles.has('Figure'), logo !== undefined)
      }
    } finally {
      await place.settings({ brand: { name: brand.name } })
    }
  })

  it('is in the language that is asked for, with its dates and numbers', async () => {
    const english = await papers.pdf(`${statementOf(alice)}?language=en`)
    assert.deepEqual(
      [english.language, english.title],
      ['en', 'Statement of account · Musterbank AG'],
    )
    assert.ok(english.lines.some((line) => line.includes('|Manual booking|Rechnung 17|1,250.50|')))
    const german = await papers.pdf(`${statementOf(greek)}?language=de`)
    assert.deepEqual([german.language, german.title], ['de', 'Kontoauszug · Musterbank AG'])
    assert.match(german.lines.join('\n'), /Zeiten in Asia\/Tokyo/)
    const balance = await papers.pdf('/bookings/trial-balance?language=de')
    assert.equal(balance.title, 'Saldenliste · Musterbank AG')
    assert.ok(balance.lines.some((line) => line.startsWith('EUR|Kunden|1.001.250,50')))
    const refused = await papers.refused('/bookings/trial-balance?language=fr')
    assert.equal(refusalOf(refused), '400 3001 ENUM language')
  })

  it('is limited to a period, shows names in every alphabet, and goes over pages', async () => {
    for (let count = 1; count <= 60; count += 1) await book(greek, '1', `Παρτίδα ${count}`)
    const { lines, pages, language } = await papers.pdf(statementOf(greek))
    assert.equal(language, 'en')
    assert.ok(pages > 1)
    assert.match(lines[2] ?? '', /^Account\|Ελένη Παπαδοπούλου & Борис Ян \(A-/)
    for (let page = 1; page <= pages; page += 1)
      assert.ok(lines.some((line) => line.endsWith(`|Page ${page} of ${pages}`)))
    assert.equal(lines.filter((line) => line.startsWith('Booked|Value date|')).length, pages)
    assert.ok(lines.some((line) => line.includes('|Παρτίδα 60|1.00|60.00')))
    const before = papers.place.clock.now() - 1
    const ended = await papers.pdf(`${statementOf(greek)}?from=${before - 1}&to=${before}`)
    assert.equal(ended.lines.filter((line) => line.includes('Παρτίδα')).length, 0)
  })

  it('says of each line what it is, and nothing of what another customer has', async () => {
    const { deposits, place, api } = papers
    const [wrong, right] = [await place.customer('Wrong'), await place.customer('Right')]
    const linesOf = async ({ account_id }: Customer) =>
      (await api.call<StatementLine[]>('GET', statementOf({ account_id } as Customer))).data
        .filter(({ line }) => line === 'BOOKING')
        .map(({ description }) => description)
    const { id } = await deposits.read(await deposits.wire('500', { reference_text: 'INV 7' }))
    const { data: origin } = await deposits.assign(id, [
      { account_id: wrong.account_id, quantity: '500' },
    ])
    const payer = `From Payer, ${PAYER}; reference INV 7`
    assert.deepEqual(await linesOf(wrong), [payer])
    const rectified = await place.call('POST', `/treasury/deposits/${id}/rectifications`, {
      reason: 'WRONG_ACCOUNT',
      origins: [origin.id],
      targets: [{ account_id: right.account_id, quantity: '500' }],
    })
    assert.equal(rectified.status, 200, rectified.text)
    assert.deepEqual(await linesOf(wrong), [
      'Booked by mistake, and corrected',
      'Correction of a booking that was made by mistake',
    ])
    assert.deepEqual(await linesOf(right), [payer])
    const { lines } = await papers.pdf(statementOf(wrong))
    assert.doesNotMatch(lines.join(' '), /WRONG_ACCOUNT|Payer|INV 7/)
    assert.match(lines.join(' '), /\|Correction\|/)
  })

  it('of more bookings than a PDF has is refused, and says what to do', async () => {
    const many = await papers.place.customer('Many')
    const { fund } = papers.place
    const booked = Array.from({ length: MOST_BOOKINGS + 1 }, () =>
      fund(many.account_id, 'EUR', '1'),
    )
    await Promise.all(booked)
    const refused = await papers.refused(statementOf(many))
    assert.equal(refusalOf(refused), '400 3001 RANGE from')
    assert.match(refused.error_description ?? '', /more than 2000 bookings.*shorter period/)
  })

  it('of the trial balance has its figures', async () => {
    const { assets } = (
      await papers.api.call<TrialBalance>('GET', '/bookings/trial-balance', { token: 'all' })
    ).data
    const { lines, title } = await papers.pdf('/bookings/trial-balance')
    assert.equal(title, 'Trial balance · Musterbank AG')
    const english = (quantity: string, asset: string) =>
      quantity === '0'
        ? ''
        : Number(quantity).toLocaleString('en-GB', {
            minimumFractionDigits: asset === 'EUR' ? 2 : 0,
            maximumFractionDigits: 8,
          })
    for (const { asset, debit, credit, lines: types } of assets) {
      const sums = `${asset}|Sum|${english(debit, asset)}|${english(credit, asset)}`
      assert.ok(lines.includes(sums), `${sums} is not among ${lines.join('\n')}`)
      for (const line of types) {
        const [left, right] = [english(line.debit, asset), english(line.credit, asset)]
        const figures = `|${left}${right}`
        assert.ok(lines.some((shown) => shown.startsWith(asset) && shown.endsWith(figures)))
      }
    }
  })

  it('confirms a payment to its customer, once it is made', async () => {
    const { place } = papers
    const path = `/treasury/wallets/routes/${place.routes.bankToAlice.id}/withdrawals`
    const body = {
      quantity: '1200',
      speed_level: 'DEFAULT',
      purpose: 'Miete für Düsseldorf',
      account_id: alice.account_id,
    }
    const { data: made } = await place.call<Withdrawal>('POST', path, body)
    const record = `/treasury/withdrawals/${made.id}`
    assert.equal(refusalOf(await papers.refused(record)), '400 3001 STATE_NOT_ALLOWED state')
    await place.work()
    place.models.bank.finish(made.external_id, { state: 'SUCCESS' })
    await place.later(60_000)
    assert.equal(
      refusalOf(await papers.refused(record, 'no customers')),
      '403 1003 PERMISSION_REQUIRED ',
    )
    const { lines, title } = await papers.pdf(record)
    assert.equal(title, 'Zahlungsbestätigung · Musterbank AG')
    for (const line of [
      'Kunde|Alice',
      'Betrag|1.200,00 EUR',
      'Empfänger|Alice',
      'Verwendungszweck|Miete für Düsseldorf',
      `Unsere Referenz|W-${made.id.slice(-8).toUpperCase()}`,
      'Wir bestätigen, dass diese Zahlung ausgeführt wurde.',
    ])
      assert.ok(lines.includes(line), `${line} is not among ${lines.join('\n')}`)
  })

  it('confirms of a deposit the part of one customer, and names no other', async () => {
    const { assign, read, wire } = papers.deposits
    const { id } = await read(await wire('100'))
    const record = `/treasury/deposits/${id}`
    assert.equal(refusalOf(await papers.refused(record)), '400 3001 STATE_NOT_ALLOWED state')
    await assign(id, [
      { account_id: alice.account_id, quantity: '60' },
      { account_id: greek.account_id, quantity: '40' },
    ])
    assert.equal(refusalOf(await papers.refused(record)), '400 3001 REQUIRED account_id')
    const { lines } = await papers.pdf(`${record}?account_id=${greek.account_id}`)
    assert.ok(lines.includes('Amount|40.00 EUR'), lines.join('\n'))
    assert.ok(lines.includes('Customer|Ελένη Παπαδοπούλου & Борис Ян'))
    assert.doesNotMatch(lines.join('\n'), /Alice|100\.00/)
    const nobody = `${record}?account_id=${papers.place.house.FEE}`
    assert.equal(refusalOf(await papers.refused(nobody)), '404 4004 NOT_FOUND account_id')
  })
})
