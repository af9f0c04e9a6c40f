import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { UsageError } from '../core/usage.ts'
import { csvLines } from './csv-lines.ts'
import {
  ALT,
  euFile,
  LISTED_BITCOIN,
  LISTED_ETHER,
  ofacFiles,
  ofacXml,
  SDN,
} from './lists.testing.ts'
import { joinRemarks } from './ofac-remarks.ts'
import { readListFiles } from './read-files.ts'
import type { RecognisedList } from './read-files.ts'

const entryOf = ({ entries }: RecognisedList, key: string) =>
  entries.find((entry) => entry.key === key) ?? assert.fail(`no entry ${key}`)

describe('OFAC as CSV', () => {
  const read = readListFiles(ofacFiles())

  it('has names, aliases and programs', () => {
    assert.equal(read.list, 'OFAC_SDN')
    assert.deepEqual(read.faults, [])
    const person = entryOf(read, '41')
    assert.equal(person.type, 'individual')
    assert.deepEqual(person.names, ['MUSTERMANN, Søren Émile', "O'NEIL, Sorén"])
    assert.deepEqual(person.programs, ['SDGT', 'IFSR'])
    assert.deepEqual(entryOf(read, '36').names, ['INVENTED AIRLINES', 'INVAIR S.A.'])
    assert.match(entryOf(read, '36').remarks ?? '', /La Habana, Cuba/)
  })

  it('has addresses of coins out of the remarks, also where they go on in the second file', () => {
    assert.deepEqual(entryOf(read, '41').addresses, [
      { kind: 'XBT', address: LISTED_BITCOIN },
      { kind: 'ETH', address: LISTED_ETHER },
    ])
  })

  it('has codes of banks, and aliases that stand in the remarks alone', () => {
    const bank = entryOf(read, '57')
    assert.deepEqual(bank.names, ['FREE "QUOTED" BANK', 'IB BANK'])
    assert.deepEqual(bank.addresses, [{ kind: 'BIC', address: 'INVEDEFFXXX' }])
  })

  it('reads on after a broken record, tells it, and keeps what else is known of it', () => {
    const broken = SDN.replace('41,"MUSTERMANN, Søren', '41,MUSTERMANN, Søren').concat(
      '\r\nno record at all',
    )
    const worse = readListFiles(ofacFiles({ sdn: broken, alt: `${ALT}\n42,"lost` }))
    assert.deepEqual(
      worse.faults.map(({ file, line, key }) => [file, line, key]),
      [
        ['sdn.csv', 2, '41'],
        ['sdn.csv', 4, undefined],
        ['alt.csv', 1, '41'],
        ['alt.csv', 4, '42'],
        ['sdn_comments.csv', 1, '41'],
      ],
    )
    assert.deepEqual(entryOf(worse, '57'), entryOf(read, '57'))
    const orphan = entryOf(worse, '41')
    assert.deepEqual(orphan.names, ["O'NEIL, Sorén"])
    assert.deepEqual(orphan.addresses, [{ kind: 'ETH', address: LISTED_ETHER }])
  })

  it('is not loaded without the rest of the remarks, nor with other files', () => {
    const without = ofacFiles().filter(({ path }) => path !== 'sdn_comments.csv')
    assert.throws(
      () => readListFiles(without),
      (error: unknown) =>
        error instanceof UsageError && error.message.startsWith('sdn_comments.csv is missing'),
    )
    for (const files of [[], [{ path: 'kontor.json', bytes: Buffer.from('{}') }]])
      assert.throws(() => readListFiles(files), UsageError)
  })

  it('joins remarks at any letter, also where the blank was lost', () => {
    const address = 'Digital Currency Address - XBT'
    assert.equal(joinRemarks('Digital Cur', 'rency Address'), 'Digital Currency Address')
    assert.equal(joinRemarks(address, '1abc'), `${address} 1abc`)
    assert.equal(joinRemarks(`${address} 1a`, 'bc'), `${address} 1abc`)
    assert.equal(joinRemarks(address, ' 1abc'), `${address} 1abc`)
  })
})

describe('OFAC as XML', () => {
  it('has the same', () => {
    const read = readListFiles(ofacXml())
    assert.deepEqual([read.list, read.published, read.faults], ['OFAC_SDN', '2026-11-24', []])
    const person = entryOf(read, '41')
    assert.deepEqual(person.names, ['MUSTERMANN, Søren Émile', 'SORENSEN'])
    assert.deepEqual(person.addresses, [{ kind: 'XBT', address: LISTED_BITCOIN }])
    assert.deepEqual(entryOf(read, '57').names, ['INVENTED & SONS'])
  })

  it('reads on after a broken entry', () => {
    const read = readListFiles(
      ofacXml(
        '<sdnEntry><uid>50</uid><lastName>LOST',
        '<sdnEntry><lastName>NO</lastName></sdnEntry>',
      ),
    )
    assert.deepEqual(
      read.entries.map(({ key }) => key),
      ['41', '57'],
    )
    assert.deepEqual(
      read.faults.map(({ line, key }) => [line, key]),
      [
        [5, '50'],
        [6, undefined],
      ],
    )
  })
})

describe('the list of the EU', () => {
  it('has every name of an entry, over its lines', () => {
    const read = readListFiles(euFile())
    assert.deepEqual([read.list, read.published], ['EU_CONSOLIDATED', '2026-11-24'])
    const person = entryOf(read, '13')
    assert.deepEqual(person.names, ['Zoë Beispiel', 'Abu Erfunden'])
    assert.deepEqual([person.type, person.programs], ['person', ['TAQA']])
    assert.match(person.remarks ?? '', /a resolution\nof 2003/)
    assert.deepEqual(entryOf(read, '101').names, ['Erfundener Handel'])
  })

  it('tells the lines that it cannot read', () => {
    assert.deepEqual(
      readListFiles(euFile()).faults.map(({ line, key }) => [line, key]),
      [
        [5, '99'],
        [6, undefined],
      ],
    )
  })
})

describe('lines of CSV', () => {
  const read = (text: string, columns: number, longest = 1) =>
    [...csvLines(text.split('\n'), { delimiter: ',', columns, longest })].map(
      ({ fields }) => fields,
    )

  it('have quoted fields, with marks inside', () => {
    assert.deepEqual(read('"a ""b"" c",d', 2), [['a "b" c', 'd']])
    assert.deepEqual(read('"a "b" c" ,d', 2), [['a "b" c', 'd']])
    assert.deepEqual(read('"",d,', 3), [['', 'd', '']])
  })

  it('with a field that does not end take no others with them', () => {
    assert.deepEqual(read('"a,b\nc,d', 2), [undefined, ['c', 'd']])
    assert.deepEqual(read('"a\nb",c\nd,e', 2, 5), [
      ['a\nb', 'c'],
      ['d', 'e'],
    ])
    assert.deepEqual(read('"a\nb,c\nd,e', 2, 5), [undefined, ['b', 'c'], ['d', 'e']])
  })
})

const REAL = process.env['KONTOR_TEST_SANCTIONS']
it('reads a whole public list', { skip: !REAL || !existsSync(REAL) }, () => {
  const folder = String(REAL)
  const names = ['sdn.csv', 'alt.csv', 'sdn_comments.csv', 'add.csv']
  const read = readListFiles(
    names.map((name) => ({ path: name, bytes: readFileSync(`${folder}/${name}`) })),
  )
  assert.ok(read.entries.length > 10_000)
  assert.ok(read.entries.flatMap(({ addresses }) => addresses).length > 500)
  assert.deepEqual(read.faults, [])
})
