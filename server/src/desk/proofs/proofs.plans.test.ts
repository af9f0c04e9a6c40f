/** What a customer reads does not grow with what was proven before, only with the depth. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import type { AccountId, ProofId, WorkspaceId } from '../../core/ids.ts'
import { page } from '../../http/index.ts'
import type { Reader } from '../../store/db.ts'
import { openPlannedReads } from '../../store/planned-reads.testing.ts'
import type { PlannedReads } from '../../store/planned-reads.testing.ts'
import { accountProof } from './proofs.ts'
import { proofsEndpoints } from './proofs.http.ts'

const workspace = newId<WorkspaceId>()

describe('plans of proofs', () => {
  let reads: PlannedReads
  before(async () => {
    reads = await openPlannedReads()
    await reads.owner.query(
      `
        insert into accounts (
          workspace, id, type, label, customer_id, system_created_at, system_updated_at
        )
        select $1, md5(n::text)::uuid, 'CUSTOMER', 'x', gen_random_uuid(), 0, 0
        from generate_series(0, 1023) n`,
      [workspace],
    )
  })
  after(() => reads.close())

  const proofIdOf = async (number: number) =>
    (await reads.owner.query<{ id: ProofId }>(`select md5('p' || $1::int)::uuid as id`, [number]))
      .rows[0]?.id ?? assert.fail()

  /** Proofs `from` to `to`, of 1024 leaves each. */
  async function addProofs(from: number, to: number): Promise<void> {
    await reads.owner.query(
      `
        with made as (
          insert into proofs (
            workspace, id, sequence, batch_no, books_hash, salt, system_created_at
          )
          select $1, md5('p' || n::int)::uuid, n, n, '\\x00', '\\x00', n
          from generate_series($2::int, $3) n
        ),
        trees as (
          insert into proof_trees (
            workspace, proof_id, asset, decimals, leaves, total, debtors, debts, held, in_transit,
            unassigned, root
          )
          select $1, md5('p' || n::int)::uuid, 'EUR', 2, 1024, 1024, 0, 0, '[]', 0, 0, '\\x00'
          from generate_series($2::int, $3) n
        )
        insert into proof_nodes (
          workspace, proof_id, asset, level, position, sum, hash, account_id, nonce
        )
        select $1, md5('p' || n::int)::uuid, 'EUR', level, position, 1, '\\x00',
          case when level = 0 then md5(position::text)::uuid end, '\\x00'
        from generate_series($2::int, $3) n,
          generate_series(0, 10) level,
          generate_series(0, (1024 >> level) - 1) position`,
      [workspace, from, to],
    )
    await reads.owner.query('vacuum analyze proofs, proof_trees, proof_nodes, accounts')
  }

  const rowsOfPath = async (number: number, leaf: string) => {
    const proof_id = await proofIdOf(number)
    const [account] = (
      await reads.owner.query<{ id: AccountId }>('select md5($1)::uuid as id', [leaf])
    ).rows
    return reads.rowsRead(`path in proof ${number}`, (reader) =>
      accountProof(reader, workspace, { proof_id, account_id: account?.id ?? assert.fail() }),
    )
  }

  const rowsOfList = () =>
    reads.rowsRead('list', async (reader: Reader) => {
      const found = proofsEndpoints({ db: reader, clock: undefined } as never).find(
        (endpoint) => endpoint.effect === 'list',
      )
      assert.ok(found?.effect === 'list')
      await page(
        reader,
        await found.list({ query: {}, principal: { workspace } } as never),
        2,
        undefined,
      )
    })

  it('reads as many rows for a path and for a page, however many proofs there are', async () => {
    await addProofs(1, 5)
    const path = await rowsOfPath(3, '700')
    const list = await rowsOfList()
    await addProofs(6, 60)
    assert.equal(await rowsOfPath(3, '700'), path)
    assert.equal(await rowsOfPath(58, '1'), path)
    assert.equal(await rowsOfList(), list)
    assert.ok(path <= 30, `${path} rows: one a level, and the records they belong to`)
  })
})
