/** What customers own by the books is what their proofs show, and the client checks it alone. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { checkProof, ProofError } from '@kontor/client'
import fc from 'fast-check'
import { decimal, format, sum } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { VenueId, WorkspaceId } from '../../core/ids.ts'
import type { Customer } from '../../customers/index.ts'
import { refusalOf, testServer } from '../../http/testing.ts'
import type { TestServer } from '../../http/testing.ts'
import { nextSequence } from '../../ledger/reports/books.ts'
import { sql } from '../../store/sql.ts'
import { openMovements } from '../../treasury/testing/movements.testing.ts'
import { proofsEndpoints } from './proofs.http.ts'
import type { AccountProof, Proof } from './proofs.schema.ts'

describe('a proof of segregation', () => {
  let place: Awaited<ReturnType<typeof openMovements>>
  let api: TestServer
  before(async () => {
    place = await openMovements()
    const { db, clock, principal } = place
    const permissions = new Set(['bookings.read', 'proofs.create'])
    const stranger = { ...principal, permissions, workspace: newId<WorkspaceId>() }
    api = await testServer({
      db,
      clock,
      endpoints: proofsEndpoints({ db, clock }),
      authenticate: async (header) =>
        header === 'Bearer stranger' ? stranger : { ...principal, permissions },
    })
  })
  after(async () => {
    await api.close()
    await place.close()
  })

  const make = async (): Promise<Proof> => {
    const answer = await api.call<Proof>('POST', '/proofs')
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }
  const proofOf = async ({ id }: Proof, account_id: string) =>
    (await api.call<AccountProof>('GET', `/proofs/${id}/accounts/${account_id}`)).data
  type Tree = Proof['trees'][number]
  const rootsOf = ({ trees }: Proof) => trees.map(({ root }) => root)
  const treeOf = ({ trees }: Proof, asset: string) => {
    const tree = trees.find((one) => one.asset === asset)
    assert.ok(tree, `${asset} has a tree`)
    return tree
  }

  /** `venue by the books/as it said`. */
  const heldOf = ({ held }: Tree) => {
    const { exchange, bank, vault } = place
    const nameOf = (id: VenueId) =>
      Object.entries({ exchange, bank, vault }).find(([, venue]) => venue.id === id)?.[0]
    return held
      .map(({ venue_id, ledger, venue }) => `${nameOf(venue_id)} ${ledger}/${venue ?? '-'}`)
      .toSorted()
  }
  /** As if venue and books had been compared. */
  const venueSaid = (venue_id: VenueId, asset: string, venue: string, wallet = '') =>
    place.db.query(sql`
      insert into positions (
        workspace, venue_id, asset, wallet, ledger, venue, on_the_way, difference, wallets, since,
        compared_at
      )
      values (
        ${place.workspace}, ${venue_id}, ${asset}, ${wallet}, 0, ${venue}, 0, 0, '[]', 0, 7
      )`)

  /** All balances of customers, by account and asset. */
  const owned = async () => {
    const rows = await place.db.query<{ account_id: string; asset: string; total: string }>(sql`
      select b.account_id, b.asset, b.total
      from balances b
      join accounts a on a.workspace = b.workspace
        and a.id = b.account_id
      where a.workspace = ${place.workspace}
        and a.type = 'CUSTOMER'
        and b.total <> 0`)
    return rows.map((row) => ({ ...row, total: decimal(row.total) }))
  }

  /** Everybody who has something checks alone. */
  async function mustHold(proof: Proof): Promise<void> {
    const all = await owned()
    for (const { asset, leaves, total } of proof.trees) {
      const own = all.filter((row) => row.asset === asset && row.total > 0n)
      assert.equal(leaves, own.length)
      assert.equal(total, format(sum(own.map((row) => row.total))))
    }
    for (const account_id of new Set(all.map((row) => row.account_id))) {
      const own = all.filter((row) => row.account_id === account_id && row.total > 0n)
      const file = await proofOf(proof, account_id)
      assert.equal(file.balances.length, own.length)
      if (own.length === 0) continue
      const checked = await checkProof(file, rootsOf(proof))
      assert.deepEqual(
        checked.map(({ asset, quantity }) => [asset, quantity]),
        own.map((row) => [row.asset, format(row.total)]).toSorted(),
      )
    }
  }

  it('is refused while nobody has anything', async () => {
    assert.match(refusalOf(await api.call('POST', '/proofs')), /^400 3001 CONFLICT/)
    const kept = await place.db.query(sql`
      select 1
      from proofs`)
    assert.deepEqual(kept, [])
  })

  it('shows totals beside what is held, and the one leaf', async () => {
    await place.fund(place.alice.account_id, 'EUR', '1250.5')
    const proof = await make()
    const euros = treeOf(proof, 'EUR')
    assert.partialDeepStrictEqual(euros, {
      decimals: 2,
      leaves: 1,
      total: '1250.5',
      debtors: 0,
      debts: '0',
    })
    // What is his was the house's before: the venues hold as much as they did.
    assert.deepEqual(heldOf(euros), ['bank 50000/-', 'exchange 100000/-'])
    assert.partialDeepStrictEqual(euros, {
      in_transit: '0',
      unassigned: '0',
      difference: '148749.5',
      reported: null,
      reported_difference: null,
    })
    assert.equal(proof.sequence, (await nextSequence(place.db, place.workspace)) - 1)
    await mustHold(proof)
  })

  it('counts debts beside, and never takes them off', async () => {
    const debtor = await place.customer('Debtor')
    await place.db.query(sql`
      update accounts
      set overdraft = true
      where id = ${debtor.account_id}`)
    await place.spend(debtor.account_id, 'EUR', '1000')
    const proof = await make()
    assert.partialDeepStrictEqual(treeOf(proof, 'EUR'), {
      total: '1250.5',
      debtors: 1,
      debts: '1000',
    })
    assert.deepEqual((await proofOf(proof, debtor.account_id)).balances, [])
    await mustHold(proof)
  })

  it('shows beside it what the venues said, also what no book knows of', async () => {
    const { bank, exchange, vault } = place
    await venueSaid(bank.id, 'EUR', '49000', 'one')
    await venueSaid(bank.id, 'EUR', '999', 'two')
    assert.equal(treeOf(await make(), 'EUR').reported, null, 'the exchange has said nothing')
    await venueSaid(exchange.id, 'EUR', '100000')
    await venueSaid(vault.id, 'EUR', '1')
    const euros = treeOf(await make(), 'EUR')
    assert.deepEqual(heldOf(euros), ['bank 50000/49999', 'exchange 100000/100000', 'vault 0/1'])
    assert.equal(euros.held[0]?.compared_at, 7)
    assert.equal(euros.reported, '150000')
    assert.equal(euros.reported_difference, '148749.5')
  })

  it('shows deposits without an owner apart, in no total', async () => {
    await place.fund(place.house.SUSPENSE ?? '', 'EUR', '77')
    assert.partialDeepStrictEqual(treeOf(await make(), 'EUR'), {
      total: '1250.5',
      unassigned: '77',
    })
  })

  it('shows an asset that customers only owe', async () => {
    const debtor = await place.customer('Debtor of coins')
    await place.db.query(sql`
      update accounts
      set overdraft = true
      where id = ${debtor.account_id}`)
    await place.spend(debtor.account_id, 'BTC', '2')
    const proof = await make()
    const coins = treeOf(proof, 'BTC')
    assert.partialDeepStrictEqual(coins, { leaves: 0, total: '0', debtors: 1, debts: '2' })
    assert.match(coins.root, /^[0-9a-f]{64}$/)
    assert.deepEqual((await proofOf(proof, debtor.account_id)).balances, [])
    await place.fund(debtor.account_id, 'BTC', '2')
    assert.ok(
      (await make()).trees.every(({ asset }) => asset !== 'BTC'),
      'nobody has any',
    )
  })

  it('fails for a path that was tampered with', async () => {
    const proof = await make()
    const other = await place.customer('Other')
    await place.fund(other.account_id, 'EUR', '5')
    const file = await proofOf(await make(), other.account_id)
    const roots = rootsOf(await make())
    await assert.rejects(checkProof(file, roots), ProofError, 'of another proof')
    const [own] = file.balances
    const [sibling] = own?.siblings ?? []
    assert.ok(own !== undefined && sibling !== undefined)
    const less = { ...sibling, sum: String(BigInt(sibling.sum) - 1n) }
    for (const change of [
      { amount: '600' },
      { total: '600' },
      { account_id: place.alice.account_id },
      { position: own.position ^ 1 },
      { siblings: [less] },
      { siblings: [] },
      { proof_id: proof.id },
      { sequence: own.sequence - 1 },
    ])
      await assert.rejects(
        checkProof({ balances: [{ ...own, ...change }] }, [own.root]),
        ProofError,
        JSON.stringify(change),
      )
    assert.equal((await checkProof(file, [own.root])).length, 1)
  })

  it('is seen by nobody of another workspace', async () => {
    const proof = await make()
    const asStranger = { token: 'stranger' }
    assert.deepEqual((await api.call('GET', '/proofs', asStranger)).data, [])
    for (const url of [
      `/proofs/${proof.id}`,
      `/proofs/${proof.id}/accounts/${place.alice.account_id}`,
    ])
      assert.equal((await api.call('GET', url, asStranger)).error_code, 4004)
  })

  it('holds for every customer, however many there are and whatever they have', async () => {
    const quantity = fc.bigInt({ min: 1n, max: 10n ** 14n })
    const customers = fc.array(fc.record({ cents: quantity, coins: quantity }), {
      minLength: 1,
      maxLength: 5,
    })
    let count = 0
    await fc.assert(
      fc.asyncProperty(customers, async (added) => {
        for (const { cents, coins } of added) {
          const { account_id }: Customer = await place.customer(`Customer ${(count += 1)}`)
          await place.fund(account_id, 'EUR', format(cents * 10n ** 16n))
          if (coins % 3n > 0n) await place.fund(account_id, 'BTC', format(coins * 10n ** 10n))
        }
        await mustHold(await make())
      }),
      { numRuns: 8 },
    )
  })

  it('adds up beyond 2^64, and stays as it was when the books go on', async () => {
    const rich = await place.customer('Rich')
    await place.fund(rich.account_id, 'BTC', '99999999999999999.99999999')
    const proof = await make()
    await mustHold(proof)
    const before = await proofOf(proof, rich.account_id)
    assert.ok(BigInt(before.balances[0]?.total ?? '0') > 2n ** 64n)
    await place.fund(rich.account_id, 'BTC', '1')
    assert.deepEqual(await proofOf(proof, rich.account_id), before)
    const read = await api.call<Proof>('GET', `/proofs/${proof.id}`)
    assert.deepEqual(read.data, proof)
    const next = await make()
    const [own] = before.balances
    assert.ok(own)
    await assert.rejects(checkProof({ balances: [own] }, rootsOf(next)), ProofError)
    const { data: list } = await api.call<Proof[]>('GET', '/proofs?limit=2')
    assert.deepEqual(list, [next, proof])
  })

  it('answers 4004 for what does not exist', async () => {
    const { alice } = place
    const of = (proof_id: string, account_id: string) =>
      api.call('GET', `/proofs/${proof_id}/accounts/${account_id}`)
    const proof = await make()
    assert.equal((await of(newId(), alice.account_id)).error_code, 4004)
    assert.equal((await of(proof.id, newId())).error_code, 4004)
    assert.equal((await api.call('GET', `/proofs/${newId()}`)).error_code, 4004)
  })
})
