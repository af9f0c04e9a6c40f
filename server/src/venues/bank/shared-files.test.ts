/** Several payments in one file: how they get there, also when the process is killed. */
import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { until } from '../../core/testing.ts'
import { openBank } from './bank.ts'
import { BARE, lookup, order, statusXml, withFiles } from './bank-files.testing.ts'
import { bankConfig } from './config.ts'
import { newFileId } from './reference.ts'
import { killSender } from './sender.testing.ts'
import { openSharedFiles } from './shared-files.ts'
import {
  batchXml,
  detailXml,
  DONE,
  FIRST,
  OTHER_BARE,
  SECOND,
  sendBoth,
  sharing,
  statesOf,
} from './shared-files.testing.ts'

test('payments that are sent together share a file, a payment alone has its own', () =>
  withFiles(
    async (files, bank) => {
      const file_id = await sendBoth(files, bank)
      assert.match(file_id, /^F[0-9a-f]{32}$/)
      const xml = readFileSync(join(files.outbox, `${file_id}.xml`), 'utf8')
      assert.match(xml, new RegExp(`<MsgId>${file_id}</MsgId>.*<PmtInfId>${file_id}</PmtInfId>`))
      assert.match(xml, /<BtchBookg>false<\/BtchBookg><NbOfTxs>2<\/NbOfTxs><CtrlSum>30\.30</)
      for (const [id, amount] of [
        [BARE, '10.10'],
        [OTHER_BARE, '20.20'],
      ])
        assert.match(
          xml,
          new RegExp(`<InstrId>${id}</InstrId><EndToEndId>${id}</EndToEndId></PmtId>.*>${amount}<`),
        )
      assert.deepEqual(await statesOf(bank), ['PENDING WAITING', 'PENDING WAITING'])
      assert.equal((await bank.transfers?.send(FIRST))?.outcome, 'accepted')
      assert.equal(readdirSync(files.outbox).filter((one) => one.endsWith('.xml')).length, 1)
    },
    { sharing },
  ))

test('only payments of one kind and for one day share a file, and instant ones none', () =>
  withFiles(
    async ({ outbox }, bank) => {
      const to = { name: 'Jörg', reference: 'R 1', bic: 'CHASUS33' }
      const orders = [
        order({ external_id: 'a-1', execution_date: '2026-11-23' }),
        order({ external_id: 'a-2', execution_date: '2026-11-24' }),
        order({ external_id: 'a-3', protocol: 'FOREIGN', transfer: { from: {}, to } }),
        order({ external_id: 'a-4', protocol: 'SEPA_INSTANT' }),
        order({ external_id: 'a-5', execution_date: '2026-11-23' }),
        order({ external_id: 'a-6', protocol: 'FOREIGN', transfer: { from: {}, to } }),
      ]
      await Promise.all(orders.map((one) => bank.transfers?.send(one)))
      const names = readdirSync(outbox).filter((name) => name.endsWith('.xml'))
      const contents = names.map((name) => readFileSync(join(outbox, name), 'utf8'))
      const together = contents.map((xml) =>
        [...xml.matchAll(/<EndToEndId>([^<]*)/g)]
          .map((match) => match[1])
          .toSorted()
          .join(' '),
      )
      assert.deepEqual(together.toSorted(), ['a-1 a-5', 'a-2', 'a-3 a-6', 'a-4'])
    },
    {
      sharing,
      instant: { fee: 0n, maximum: decimal('100000') },
    },
  ))

test('one that cannot be paid is refused alone', () =>
  withFiles(
    async (files, bank) => {
      const bad = order({ external_id: 'bad', destination_address: 'DE00' })
      const [sent] = await Promise.all([bank.transfers?.send(bad), sendBoth(files, bank)])
      assert.equal(sent?.outcome, 'refused')
    },
    { sharing },
  ))

test('the options: how many payments, and how long they wait for each other', () => {
  const values = { outbox_dir: 'o', inbox_dir: 'i', name: 'Kontor', currency: 'EUR' }
  const sharingOf = (more: Record<string, string>) => bankConfig({ ...values, ...more }).sharing
  assert.equal(sharingOf({}), undefined)
  assert.equal(sharingOf({ payments_per_file: '1' }), undefined)
  assert.deepEqual(sharingOf({ payments_per_file: '5' }), { payments_per_file: 5, collect_ms: 250 })
  for (const more of [
    { payments_per_file: '0' },
    { payments_per_file: '101' },
    { payments_per_file: '2', collect_ms: '2001' },
    { collect_ms: '5' },
  ] as Record<string, string>[])
    assert.throws(() => sharingOf(more), RangeError)
})

test('what was stored of a file leads to it after a restart', () =>
  withFiles(
    async (files, bank) => {
      const file_id = await sendBoth(files, bank)
      assert.ok(existsSync(join(files.outbox, 'files', `${OTHER_BARE}.1`)))
      const { sharing: _before, ...config } = files.config
      const later = await openBank(config, () => undefined)
      files.put('1.xml', batchXml(file_id, '30.30'))
      assert.deepEqual(await statesOf(later), DONE)
      await later.close()
    },
    { sharing },
  ))

test('a slow process cannot hide the file that another one has handed over', () =>
  withFiles(
    async (files, bank) => {
      const file_id = await sendBoth(files, bank)
      const payments = [BARE, OTHER_BARE].map((message_id, place) => ({
        message_id,
        quantity: [FIRST, SECOND][place]?.quantity ?? 0n,
      }))
      await openSharedFiles(files.outbox).store({ file_id: newFileId(), payments })
      assert.deepEqual(await statesOf(bank), ['PENDING WAITING', 'PENDING WAITING'])
      files.put('1.xml', batchXml('', '30.30', detailXml(BARE, '10.10')))
      assert.deepEqual(await statesOf(bank), DONE)
      files.put('2.xml', statusXml('RJCT', null, '', file_id))
      const states = await statesOf(bank)
      assert.ok(states.every((state) => state.startsWith('UNKNOWN RJCT')))
    },
    { sharing },
  ))

test('an entry that names one payment, and fits two of its files, waits for a person', () =>
  withFiles(
    async (files, bank) => {
      await sendBoth(files, bank)
      const payments = [
        { message_id: BARE, quantity: FIRST.quantity },
        { message_id: 'b1946ac92492d2347c6235b4d2611184', quantity: SECOND.quantity },
      ]
      await openSharedFiles(files.outbox).store({ file_id: newFileId(), payments })
      files.put('1.xml', batchXml('', '30.30', detailXml(BARE, '10.10')))
      const states = await statesOf(bank)
      assert.ok(
        states.every((state) => state.startsWith('UNKNOWN')),
        states.join(),
      )
    },
    { sharing },
  ))

test('what a process has written and not handed over is gone before it is called absent', () =>
  withFiles(async ({ outbox }, bank) => {
    const hidden = join(outbox, `.${BARE}.part`)
    writeFileSync(hidden, '<Document/>')
    assert.deepEqual(await bank.transfers?.find(lookup()), { lookup: 'absent' })
    assert.equal(existsSync(hidden), false)
  }))

test('a folder newer than the payment proves nothing once the database was set back', () =>
  withFiles(async ({ outbox }, bank) => {
    const find = async (submitted_at: number) => {
      const asked = { ...lookup(), submitted_at, sent_until: submitted_at + 1 }
      return (await bank.transfers?.find(asked))?.lookup
    }
    const made_at = Date.now() + 1
    assert.deepEqual([await find(0), await find(made_at)], ['unknown', 'absent'])
    await until('a later time', async () => Date.now() > made_at + 10)
    const done = join(outbox, 'done')
    cpSync(done, `${done}-copied`, { recursive: true, preserveTimestamps: true })
    rmSync(done, { recursive: true })
    renameSync(`${done}-copied`, done)
    assert.equal(await find(made_at), 'unknown')
    assert.equal((await bank.transfers?.find(lookup()))?.lookup, 'absent')
  }))

for (const [point, states] of [
  ['bank.share.before', 'absent'],
  ['bank.share.after', 'absent'],
  ['bank.put.after', 'PENDING WAITING'],
] as const)
  test(`killed at ${point}: ${states}, and each payment is handed over once`, () =>
    withFiles(async ({ config, outbox }, bank) => {
      const { outbox_dir, inbox_dir, name, currency, iban = '', bic = '' } = config
      const terms = { payments_per_file: '2', collect_ms: '2000' }
      const values = { outbox_dir, inbox_dir, name, currency, iban, bic, ...terms }
      await killSender(values, point, [FIRST, SECOND])
      assert.deepEqual(await statesOf(bank), [states, states])
      for (const one of [FIRST, SECOND])
        assert.equal((await bank.transfers?.send(one))?.outcome, 'accepted')
      const names = readdirSync(outbox).filter((file) => file.endsWith('.xml'))
      const handed = names.flatMap((file) => [
        ...readFileSync(join(outbox, file), 'utf8').matchAll(/<EndToEndId>([^<]*)/g),
      ])
      assert.deepEqual(handed.map(([, id]) => id).toSorted(), [BARE, OTHER_BARE])
    }))
