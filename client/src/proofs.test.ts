/** Proofs as docs/proof-of-segregation.md has them, made here by other code than is checked. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { checkProof, ProofError, rootOf } from './proofs.ts'
import type { BalanceProof, ProofNode } from './proofs.ts'

type Field = string | Buffer
type Node = { sum: bigint; hash: Buffer }

function H(what: string, ...fields: Field[]): Buffer {
  const hash = createHash('sha256')
  for (const field of [`kontor-proof-1/${what}`, ...fields]) {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(Buffer.from(field).length)
    hash.update(length).update(field)
  }
  return hash.digest()
}

const EMPTY: Node = { sum: 0n, hash: H('empty') }
const both = (left: Node, right: Node): Node => ({
  sum: left.sum + right.sum,
  hash: H('node', String(left.sum), left.hash, String(right.sum), right.hash),
})
const shown = ({ sum, hash }: Node): ProofNode => ({
  sum: String(sum),
  hash: hash.toString('hex'),
})
const bytes = (of: string): string => createHash('sha256').update(of).digest('hex')

/** A proof for each of these amounts, all of one tree. */
function proofsOf(amounts: readonly bigint[]): BalanceProof[] {
  const salt = bytes('salt')
  const leaves = amounts.map((sum, at): Node => {
    const owner = H('owner', Buffer.from(salt, 'hex'), `account ${at}`)
    const nonce = Buffer.from(bytes(`nonce ${at}`), 'hex')
    return { sum, hash: H('leaf', owner, 'EUR', String(sum), nonce) }
  })
  const levels = [leaves]
  for (let level = leaves; level.length > 1; levels.push(level))
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_, at) =>
      both(level[2 * at] ?? EMPTY, level[2 * at + 1] ?? EMPTY),
    )
  const top = levels.at(-1)?.[0] ?? EMPTY
  const about = {
    format: 'kontor-proof-1',
    proof_id: 'one proof',
    sequence: 17,
    taken_at: 1_772_443_800_000,
    books_hash: bytes('books'),
    asset: 'EUR',
    decimals: 2,
    leaves: leaves.length,
    total: String(top.sum),
    salt,
  }
  const { proof_id, asset, decimals, sequence, taken_at, total } = about
  const texts = [proof_id, asset, decimals, sequence, taken_at, leaves.length, total].map(String)
  const root = H('root', ...texts, Buffer.from(about.books_hash, 'hex'), top.hash).toString('hex')
  return amounts.map((amount, position) => ({
    ...about,
    account_id: `account ${position}`,
    amount: String(amount),
    position,
    nonce: bytes(`nonce ${position}`),
    siblings: levels
      .slice(0, -1)
      .map((level, height) => shown(level[(position >> height) ^ 1] ?? EMPTY)),
    root,
  }))
}

const check = (proof: BalanceProof, root = proof.root) => checkProof({ balances: [proof] }, [root])
const refused = (proof: BalanceProof, why: RegExp, root = proof.root) =>
  assert.rejects(check(proof, root), (error: unknown) => {
    assert.ok(error instanceof ProofError)
    assert.match(error.message, why)
    return true
  })

const amounts = fc.array(fc.bigInt({ min: 1n, max: 10n ** 38n }), { minLength: 1, maxLength: 33 })
const other = (hex: string): string => (hex.startsWith('0') ? '1' : '0') + hex.slice(1)

describe('a proof of segregation', () => {
  it('holds for every leaf, however many there are and whatever they come to', async () => {
    await fc.assert(
      fc.asyncProperty(amounts, async (some) => {
        for (const proof of proofsOf(some)) {
          const [checked] = await check(proof)
          assert.equal(checked?.account_id, proof.account_id)
        }
      }),
      { numRuns: 40 },
    )
  })

  it('holds for one leaf, odd counts, and sums beyond 2^64', async () => {
    const [only] = proofsOf([125_050n])
    assert.ok(only)
    assert.deepEqual(only.siblings, [])
    assert.deepEqual(await check(only), [
      { account_id: 'account 0', asset: 'EUR', quantity: '1250.5', total: '1250.5' },
    ])
    const [, , third] = proofsOf([2n ** 64n, 2n ** 127n, 5n])
    assert.ok(third)
    assert.equal((await check(third))[0]?.quantity, '0.05')
    assert.equal(third.total, String(2n ** 64n + 2n ** 127n + 5n))
  })

  it('fails by any change of leaf, sum, sibling or what the root is about', async () => {
    const change = fc.record({ some: amounts, at: fc.nat(), level: fc.nat() })
    await fc.assert(
      fc.asyncProperty(change, async ({ some, at, level }) => {
        const all = proofsOf(some)
        const proof = all[at % all.length] as BalanceProof
        const { amount, siblings, leaves, total } = proof
        const more = (text: string) => String(BigInt(text) + 1n)
        const changed: BalanceProof[] = [
          { ...proof, amount: more(amount) },
          { ...proof, amount: more(amount), total: more(total) },
          { ...proof, total: more(total) },
          { ...proof, account_id: 'another' },
          { ...proof, asset: 'USD' },
          { ...proof, decimals: 3 },
          { ...proof, sequence: 18 },
          { ...proof, taken_at: 1 },
          { ...proof, proof_id: 'another' },
          { ...proof, salt: other(proof.salt) },
          { ...proof, nonce: other(proof.nonce) },
          { ...proof, books_hash: other(proof.books_hash) },
          { ...proof, leaves: leaves + 1 },
          { ...proof, position: proof.position ^ 1 },
          { ...proof, siblings: [...siblings, shown(EMPTY)] },
        ]
        const height = level % Math.max(siblings.length, 1)
        const sibling = siblings[height]
        if (sibling !== undefined) {
          const put = (node: ProofNode) => siblings.with(height, node)
          const grown = { ...sibling, sum: more(sibling.sum) }
          changed.push(
            { ...proof, siblings: put({ ...sibling, hash: other(sibling.hash) }) },
            { ...proof, siblings: put(grown) },
            { ...proof, siblings: put(grown), total: more(total) },
            { ...proof, siblings: siblings.slice(1) },
          )
        }
        for (const wrong of changed) await refused(wrong, /./)
      }),
      { numRuns: 40 },
    )
  })

  it('fails for the split of a total that Maxwell’s tree lets through', async () => {
    const [first, second] = proofsOf([70n, 30n])
    assert.ok(first && second)
    // 100 in all, and each customer is told that the other has what is left of 70.
    const told = { ...second, siblings: [{ ...first.siblings[0], sum: '40' }], total: '70' }
    const maxwell = (sum: bigint, ...hashes: (string | undefined)[]) =>
      H('maxwell', String(sum), ...hashes.map((hash) => Buffer.from(hash ?? '', 'hex')))
    const hashes = [second.siblings[0]?.hash, first.siblings[0]?.hash]
    // The same hash, though 30 + 40 and 70 + 0 are two stories: only the total is in it.
    assert.deepEqual(maxwell(30n + 40n, ...hashes), maxwell(70n + 0n, ...hashes))
    await refused(told as BalanceProof, /lead to/)
    const kept = { ...second, siblings: [{ ...second.siblings[0], sum: '40' }], amount: '60' }
    assert.equal(BigInt(kept.amount) + 40n, BigInt(second.total))
    await refused(kept as BalanceProof, /lead to/)
  })

  it('fails for what is negative, doubled, or stands behind the last leaf', async () => {
    const [, , third] = proofsOf([5n, 6n, 7n])
    assert.ok(third)
    const [beside, above] = third.siblings as [ProofNode, ProofNode]
    await refused({ ...third, siblings: [beside, { ...above, sum: '-11' }] }, /-11 is no sum/)
    await refused({ ...third, amount: '07' }, /07 is no sum/)
    const doubled = { sum: '7', hash: bytes('leaf') }
    await refused({ ...third, siblings: [doubled, above] }, /behind the last leaf/)
    await refused({ ...third, position: 3 }, /beyond the last/)
  })

  it('fails for a root that was not published, and for a file that mixes accounts', async () => {
    const [one, two] = proofsOf([1n, 2n])
    assert.ok(one && two)
    await refused(one, /was not published/, bytes('another root'))
    await refused({ ...one, root: bytes('another root') }, /lead to/)
    await assert.rejects(checkProof({ balances: [] }, [one.root]), /no balance/)
    await assert.rejects(checkProof({ balances: [one, two] }, [one.root]), /twice/)
    const dollars = { ...two, asset: 'USD' }
    await assert.rejects(checkProof({ balances: [one, dollars] }, [one.root]), /several accounts/)
    assert.equal(await rootOf(one), one.root)
  })
})
