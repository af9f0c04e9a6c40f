/** One record that cannot be understood: it waits for a person, and all others are booked. */
import assert from 'node:assert/strict'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import {
  BARE,
  entryXml,
  IBAN,
  lookup,
  notificationXml,
  order,
  statementXml,
  statusXml,
  withFiles,
} from './bank-files.testing.ts'
import type { EntryOptions } from './bank-files.testing.ts'

const AT = '2026-11-21T10:00:00Z'

const entry = (ref: string, change: Partial<EntryOptions> = {}) =>
  entryXml({ ref, sign: 'CRDT', amount: '1.00', at: AT, ...change })

/** `moved`: what the balance has of it, as far as that can be said. */
const BAD: [name: string, reason: RegExp, xml: string, moved: string][] = [
  ['an amount of 0', /amount of the entry is 0/, entry('X', { amount: '0.00' }), '0'],
  ['22 digits', /not an amount/, entry('X', { amount: '1234567890123456789012' }), '0'],
  ['an exponent', /not an amount/, entry('X', { amount: '1e3' }), '0'],
  ['a minus', /not an amount/, entry('X', { amount: '-1' }), '0'],
  ['no amount', /Amt is missing/, entry('X', { amount: '' }), '0'],
  ['another currency', /in USD, not in EUR/, entry('X', { currency: 'USD' }), '0'],
  ['a tenth of a cent', /amount of EUR is too fine/, entry('X', { amount: '1.001' }), '0'],
  ['no date that is one', /not a time: soon/, entry('X', { at: 'soon' }), '0'],
  ['an unknown sign', /CdtDbtInd is CREDIT/, entry('X').replace('CRDT', 'CREDIT'), '0'],
  ['an unknown status', /status of the entry is HELD/, entry('X', { status: 'HELD' }), '1'],
  ['a NUL', /Nm has a character/, entry('X').replace('Alice', 'Al\0ce'), '1'],
  ['a NUL by number', /Nm has a character/, entry('X').replace('Alice', 'Al&#0;ce'), '1'],
]

for (const [name, reason, xml, moved] of BAD)
  test(`an entry with ${name} waits, its neighbours are booked, the balance is known`, () =>
    withFiles(async ({ put, problems }, bank) => {
      put('0.xml', statementXml('100.00', '2026-11-21T09:00:00Z'))
      put('1.xml', notificationXml(entry('A') + xml + entry('B')))
      const { movements, set_aside, cursor } =
        (await bank.transfers?.incoming(null)) ?? assert.fail()
      assert.deepEqual(
        movements.map((movement) => movement.foreign_id),
        ['A', 'B'],
      )
      const [record, ...further] = set_aside ?? []
      assert.ok(record)
      assert.deepEqual(further, [])
      assert.match(record.reason, reason)
      const { file, xml: kept } = JSON.parse(record.raw) as Record<string, string>
      assert.deepEqual({ file, kept }, { file: '1.xml', kept: xml })
      assert.deepEqual(problems, [])
      const [balance] = await bank.balances()
      assert.equal(format((balance?.total ?? 0n) - 102n * 10n ** 18n), moved)
      // The same file again is the same record, and it is not understood yet.
      put('2.xml', notificationXml(xml))
      const again = await bank.transfers?.incoming(cursor)
      assert.deepEqual(
        again?.set_aside?.map(({ foreign_id }) => foreign_id),
        [record.foreign_id],
      )
      assert.deepEqual(await bank.transfers?.reread?.(record), { still: record.reason })
      assert.deepEqual(await bank.balances(), [balance], 'it moved the balance once')
    }))

test('by what it can be known again waits with it: day, amount and references', () =>
  withFiles(async ({ put }, bank) => {
    const unsound = entry('X').replace('Alice', 'Al\0ce')
    put(
      '1.xml',
      notificationXml(unsound + entry('Y', { amount: '1e3' }) + entry('', { at: 'soon' })),
    )
    const { set_aside } = (await bank.transfers?.incoming(null)) ?? assert.fail()
    assert.deepEqual(
      set_aside?.map(({ like }) => like && [like.day, like.quantity, like.names.includes('X')]),
      [['2026-11-21', decimal('1'), true], ['2026-11-21', null, false], undefined],
    )
  }))

test('any element name is only a name', () =>
  withFiles(async ({ put }, bank) => {
    const odd = ['constructor', '__proto__', 'toString'].map((name) => `<${name}>1</${name}>`)
    put('1.xml', notificationXml(entry('A', { extra: odd.join('') })))
    const { movements } = (await bank.transfers?.incoming(null)) ?? assert.fail()
    assert.deepEqual(
      movements.map((movement) => movement.foreign_id),
      ['A'],
    )
  }))

test('a file in another encoding, with letters by number, is read as it was meant', () =>
  withFiles(async ({ inbox }, bank) => {
    const xml = notificationXml(entry('A')).replace('Alice', 'Ren\u00e9 M&#252;ller')
    const declared = xml.replace('version="1.0"', 'version="1.0" encoding="ISO-8859-1"')
    writeFileSync(join(inbox, '1.xml'), Buffer.from(declared, 'latin1'))
    const { movements } = (await bank.transfers?.incoming(null)) ?? assert.fail()
    assert.equal(movements[0]?.counterparty?.name, 'Ren\u00e9 M\u00fcller')
  }))

test('what is not booked is no cash: information is nothing, PDNG is pending', () =>
  withFiles(async ({ put }, bank) => {
    const xml = ['INFO', 'FUTR', 'PDNG'].map((status) => entry(status, { status }))
    const bad = entry('X', { status: 'PDNG', amount: 'none yet' })
    const nameless = entry('NONREF', { status: 'PDNG' })
    put('1.xml', notificationXml([...xml, bad, nameless].join('')))
    const { movements, set_aside } = (await bank.transfers?.incoming(null)) ?? assert.fail()
    assert.deepEqual(
      movements.map(({ foreign_id, state }) => [foreign_id, state]),
      [['PDNG', 'PENDING']],
    )
    assert.deepEqual(set_aside, [])
  }))

test('an account by another number than the IBAN; one that is not named at all waits', () =>
  withFiles(async ({ put, config }, bank) => {
    const other = (id: string) => notificationXml(entry('A')).replace(`<IBAN>${IBAN}</IBAN>`, id)
    put('1.xml', other('<Othr><Id>DE89 3704 0044 0532 0130 00</Id></Othr>'))
    put('2.xml', other('<Othr><Id>somebody else</Id></Othr>'))
    put('3.xml', other(''))
    const { movements, set_aside } = (await bank.transfers?.incoming(null)) ?? assert.fail()
    assert.equal(config.iban, IBAN)
    assert.deepEqual(
      movements.map((movement) => movement.foreign_id),
      ['A'],
    )
    assert.deepEqual(
      set_aside?.map(({ reason }) => reason),
      ['it does not name its account'],
    )
  }))

test('a status without an EndToEndId is that of the only payment, or waits', () =>
  withFiles(async ({ put }, bank) => {
    await bank.transfers?.send(order())
    const named = `<OrgnlEndToEndId>${BARE}</OrgnlEndToEndId>`
    put('1.xml', statusXml('RCVD', 'ACSC').replace(named, ''))
    const found = await bank.transfers?.find(lookup())
    assert.ok(found?.lookup === 'found')
    assert.equal(found.report.state, 'SUCCESS')
    const nameless = statusXml('RJCT', null).replace(BARE, 'NOTPROVIDED')
    put('2.xml', nameless)
    const { set_aside } = (await bank.transfers?.outgoing?.(null)) ?? assert.fail()
    assert.deepEqual(
      set_aside?.map(({ direction, reason }) => ({ direction, reason })),
      [{ direction: 'OUT', reason: 'a status RJCT does not name its payment' }],
    )
  }))

test('a file that was mended is taken back, one that is gone cannot be judged', () =>
  withFiles(async ({ put, inbox }, bank) => {
    put('1.xml', 'hello')
    const { set_aside } = (await bank.transfers?.incoming(null)) ?? assert.fail()
    const [record] = set_aside ?? []
    assert.ok(record)
    assert.match(
      JSON.stringify(await bank.transfers?.reread?.(record)),
      /the file cannot be read: not well-formed/,
    )
    writeFileSync(join(inbox, 'aside', '1.xml'), notificationXml(entry('A')))
    const taken = await bank.transfers?.reread?.(record)
    assert.ok(taken !== undefined && 'incoming' in taken)
    assert.deepEqual(
      taken.incoming.map((movement) => movement.foreign_id),
      ['A'],
    )
    assert.deepEqual(taken.set_aside, [])
    put('2.xml', notificationXml(entry('X', { amount: '0' })))
    const [bad] = (await bank.transfers?.incoming(null))?.set_aside ?? []
    assert.ok(bad)
    renameSync(join(inbox, '2.xml'), join(inbox, 'archived'))
    assert.deepEqual(await bank.transfers?.reread?.(bad), {
      still: 'the file 2.xml is not in the inbox any more',
    })
    rmSync(join(inbox, 'archived'))
  }))

test('what waits in a file that was mended is told with its movements', () =>
  withFiles(async ({ put, inbox }, bank) => {
    put('1.xml', 'hello')
    const before = (await bank.transfers?.incoming(null)) ?? assert.fail()
    const [record] = before.set_aside ?? []
    assert.ok(record)
    const entries = entry('A') + entry('X', { amount: '0' })
    writeFileSync(join(inbox, 'aside', '1.xml'), notificationXml(entries))
    const taken = await bank.transfers?.reread?.(record)
    assert.ok(taken !== undefined && 'incoming' in taken)
    assert.deepEqual(
      taken.incoming.map((movement) => movement.foreign_id),
      ['A'],
    )
    assert.deepEqual(
      taken.set_aside?.map(({ direction, reason }) => ({ direction, reason })),
      [{ direction: 'IN', reason: 'the amount of the entry is 0' }],
    )
    const again = await bank.transfers?.incoming(before.cursor)
    assert.deepEqual(again?.set_aside, [], 'the cursor has the name of the file')
  }))

test('a file that was mended may take a credit back', () =>
  withFiles(async ({ put, inbox }, bank) => {
    put('1.xml', notificationXml(entry('A', { transaction: 'T' })))
    put('2.xml', 'hello')
    const { set_aside } = (await bank.transfers?.incoming(null)) ?? assert.fail()
    const [record] = set_aside ?? []
    assert.ok(record)
    const back = entry('B', { sign: 'DBIT', transaction: 'T', reversal: true })
    writeFileSync(join(inbox, 'aside', '2.xml'), notificationXml(back))
    const taken = await bank.transfers?.reread?.(record)
    assert.ok(taken !== undefined && 'incoming' in taken)
    assert.deepEqual(
      taken.incoming.map(({ foreign_id, state }) => ({ foreign_id, state })),
      [{ foreign_id: 'A', state: 'REVERSED' }],
    )
    assert.deepEqual(taken.outgoing, [])
  }))
