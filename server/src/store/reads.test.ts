import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { refuse } from '../core/errors.ts'
import type { Reader } from './db.ts'
import { insertWithReads, markedRead, readAll } from './reads.ts'
import type { ReadMemory } from './reads.ts'
import { raw, sql } from './sql.ts'
import type { Query } from './sql.ts'
import { testDatabase } from './testing.ts'

const { db, url, drop } = await testDatabase()
const owner = new pg.Client({ connectionString: url })
await owner.connect()
after(async () => {
  await owner.end()
  await drop()
})
await owner.query(`
  create table fees (asset text primary key, fee text not null);
  create table offers (asset text, fee text, terms jsonb);
  grant select, update on fees to kontor;
  grant select, insert on offers to kontor`)

const feeRead = (asset: string) =>
  markedRead(
    raw('fee'),
    sql`fees where asset = ${asset}`,
    (rows: readonly { fee: string }[]): string => {
      if (rows[0] === undefined) throw refuse('NOT_FOUND', 'asset', `no fee for ${asset}`)
      return rows[0].fee
    },
  )
const setFee = (fee: string) => owner.query('update fees set fee = $1', [fee])
const insertFee = (fee: string, condition: Query) => sql`
  insert into offers (fee)
  select ${fee}
  where ${condition}`

let statements = 0
let memory: ReadMemory<{ fee: string }> = new Map()
const counting: Reader = {
  query(query) {
    statements += 1
    return db.query(query)
  },
}
const offer = async (asset = 'BTC', made: (fee: string) => void = () => undefined) => {
  statements = 0
  return insertWithReads(counting, {
    reads: { fee: feeRead(asset) },
    memory,
    make({ fee }) {
      made(fee)
      return { asset, fee, terms: JSON.stringify({ fee }) }
    },
    insert: (row, condition) => sql`
      insert into offers (asset, fee, terms)
      select ${row.asset}, ${row.fee}, ${row.terms}
      where ${condition}`,
  })
}
const offers = () =>
  db.query(sql`
    select asset, fee, terms ->> 'fee' as terms
    from offers`)

beforeEach(async () => {
  memory = new Map()
  await owner.query(`truncate fees, offers; insert into fees values ('BTC', '1')`)
})

it('reads asked together are answered in the order of their names', async () => {
  assert.deepEqual(await readAll(db, { fee: feeRead('BTC'), again: feeRead('BTC') }), {
    fee: '1',
    again: '1',
  })
  await assert.rejects(readAll(db, { one: feeRead('ETH'), two: feeRead('XRP') }), /no fee for ETH/)
})

it('the mark of rows is the same for every plan, and changes with one of them', async () => {
  await owner.query("truncate fees; insert into fees values ('C', '1'), ('A', '1'), ('B', '1')")
  const { mark } = markedRead(raw('fee'), sql`fees where asset > ${''}`, (rows) => rows)
  const foundBy = (scan: 'seqscan' | 'indexscan', query: Query) =>
    db.tx(async (tx) => {
      for (const other of ['seqscan', 'indexscan', 'bitmapscan', 'indexonlyscan'].filter(
        (name) => name !== scan,
      ))
        await tx.query(raw(`set local enable_${other} = off`))
      return tx.query(query)
    })
  const assets = sql`
    select asset
    from fees
    where asset > ${''}`
  assert.notDeepEqual(await foundBy('seqscan', assets), await foundBy('indexscan', assets))
  const before = await foundBy('seqscan', mark)
  assert.deepEqual(await foundBy('indexscan', mark), before)
  await owner.query("update fees set fee = '1' where asset = 'A'")
  assert.notDeepEqual(await foundBy('seqscan', mark), before)
})

describe('a row made of what is read', () => {
  it('is read and written first, then written in one statement while the same holds', async () => {
    await offer()
    assert.equal(statements, 2)
    await offer()
    assert.equal(statements, 1)
    assert.deepEqual(
      await offers(),
      Array.from({ length: 2 }, () => ({ asset: 'BTC', fee: '1', terms: '1' })),
    )
  })

  it('is made again of what holds when that has changed, and written once', async () => {
    await offer()
    await setFee('2')
    assert.equal((await offer()).fee, '2')
    assert.equal(statements, 3)
    assert.deepEqual(await offers(), [
      { asset: 'BTC', fee: '1', terms: '1' },
      { asset: 'BTC', fee: '2', terms: '2' },
    ])
  })

  it('stands on what holds as it is written, also when that changes after the read', async () => {
    const fees = ['2', '3']
    const changing: Reader = {
      async query(query) {
        const rows = await counting.query(query)
        const fee = fees.shift()
        if (fee !== undefined) await setFee(fee)
        return rows as never[]
      },
    }
    statements = 0
    const row = await insertWithReads(changing, {
      reads: { fee: feeRead('BTC') },
      memory,
      make: ({ fee }) => fee,
      insert: insertFee,
    })
    assert.equal(row, '3')
    assert.equal(statements, 4)
    assert.equal((await offers()).length, 1)
  })

  it('is refused by what holds now alone, and then nothing is written', async () => {
    const only = (allowed: string) => (fee: string) => {
      if (fee !== allowed) throw refuse('RANGE', 'fee', `refused at ${fee}`)
    }
    await offer()
    await assert.rejects(offer('BTC', only('2')), /refused at 1/)
    await setFee('2')
    assert.equal((await offer('BTC', only('2'))).fee, '2')
    await setFee('3')
    await assert.rejects(offer('BTC', only('2')), /refused at 3/)
    await owner.query('delete from fees')
    await assert.rejects(offer(), /no fee for BTC/)
    assert.equal((await offers()).length, 2)
  })

  it('tells a mistake of ours as it is', async () => {
    await offer()
    await assert.rejects(
      offer('BTC', () => {
        throw new TypeError('ours')
      }),
      /ours/,
    )
    assert.equal(statements, 0)
  })

  it('remembers a limited number of answers', async () => {
    for (let index = 0; index < 5_000; index += 1)
      memory.set(`${index}`, { answers: { fee: '0' }, marks: [] })
    await offer()
    assert.equal(memory.size, 5_000)
    assert.ok(!memory.has('0') && memory.has('1'))
  })

  it('in a transaction is taken back with it', async () => {
    await offer()
    await assert.rejects(
      db.tx(async (tx) => {
        await insertWithReads(tx, {
          reads: { fee: feeRead('BTC') },
          memory,
          make: ({ fee }) => fee,
          insert: insertFee,
        })
        throw new Error('changed my mind')
      }),
      /changed my mind/,
    )
    assert.equal((await offers()).length, 1)
  })
})
