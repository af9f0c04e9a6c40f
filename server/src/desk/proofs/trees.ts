/**
 * Merkle sum trees, one an asset, hashed where the balances are: each level is one statement, so no
 * process holds a tree and the lane waits for nothing. Byte for byte: docs/proof-of-segregation.md.
 *
 * A node hashes the sums of both children. Maxwell's tree (2013; olalonde/proof-of-liabilities)
 * hashes only their total, and the operator can show every customer another split of it: Hu, Zhang,
 * Guo, "Breaking the Binding", https://eprint.iacr.org/2018/1139. Whole SHA-256 hashes, a leaf for
 * one account, and nonces: Chalkias, Chatzigiannis, Ji, "Broken Proofs of Solvency in Blockchain
 * Custodial Wallets and Exchanges", FC 2022 workshops, LNCS 13412.
 */
import type { ProofId, WorkspaceId } from '../../core/ids.ts'
import type { Tx } from '../../store/db.ts'
import { join, raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'

export const PROOF_FORMAT = 'kontor-proof-1'

type OfProof = { workspace: WorkspaceId; proof_id: ProofId }

const textField = (value: Query): Query => bytesField(sql`convert_to(${value}::text, 'UTF8')`)
const bytesField = (value: Query): Query => sql`int4send(octet_length(${value})) || ${value}`

/** SHA-256 over what it is for and the fields, each behind its length in 4 bytes. */
function hash(what: 'owner' | 'leaf' | 'empty' | 'node' | 'root', ...fields: Query[]): Query {
  const all = [textField(raw(`'${PROOF_FORMAT}/${what}'`)), ...fields]
  return sql`sha256(${join(all, ' || ')})`
}

export const ownerHash = (salt: Query, account_id: Query): Query =>
  hash('owner', bytesField(salt), textField(account_id))

export const leafHash = (leaf: { owner: Query; asset: Query; sum: Query; nonce: Query }): Query =>
  hash(
    'leaf',
    bytesField(leaf.owner),
    textField(leaf.asset),
    textField(leaf.sum),
    bytesField(leaf.nonce),
  )

/** What stands behind the last node of a level. It counts nothing. */
export const emptyHash = (): Query => hash('empty')

/** As high as a checker goes. */
export const HIGHEST_LEVEL = 48

/** Each level has half as many nodes as the one below, rounded up; the top has one. */
export const isBelowTop = (level: string, leaves: string): Query =>
  raw(`(1::bigint << ${level}) < ${leaves}`)

/** Above the leaves, which are there: all levels, and the root over what each tree is about. */
export async function growTrees(tx: Tx, { workspace, proof_id }: OfProof): Promise<void> {
  let grown: unknown[]
  let level = 0
  do {
    grown = await tx.query(sql`
      with added as (
        insert into proof_nodes (workspace, proof_id, asset, level, position, sum, hash)
        select l.workspace, l.proof_id, l.asset, l.level + 1, l.position / 2,
          l.sum + coalesce(r.sum, 0),
          ${hash(
            'node',
            textField(raw('l.sum')),
            bytesField(raw('l.hash')),
            textField(raw('coalesce(r.sum, 0)')),
            bytesField(sql`coalesce(r.hash, ${emptyHash()})`),
          )}
        from proof_trees t
        join proof_nodes l on l.workspace = t.workspace
          and l.proof_id = t.proof_id
          and l.asset = t.asset
          and l.level = ${level}
          and l.position % 2 = 0
        left join proof_nodes r on r.workspace = l.workspace
          and r.proof_id = l.proof_id
          and r.asset = l.asset
          and r.level = l.level
          and r.position = l.position + 1
        where t.workspace = ${workspace}
          and t.proof_id = ${proof_id}
          and ${isBelowTop(String(level), 't.leaves')}
        returning 1
      )
      select 1
      from added
      limit 1`)
    level += 1
  } while (grown.length > 0)
  await hashRoots(tx, { workspace, proof_id })
}

/** Where nobody has anything, and some owe, the top is the empty node. */
async function hashRoots(tx: Tx, { workspace, proof_id }: OfProof): Promise<void> {
  const about = ['t.proof_id', 't.asset', 't.decimals', 'p.sequence', 'p.system_created_at']
  await tx.query(sql`
    update proof_trees t
    set root = ${hash(
      'root',
      ...[...about, 't.leaves', 'top.sum'].map((name) => textField(raw(name))),
      bytesField(raw('p.books_hash')),
      bytesField(raw('top.hash')),
    )}
    from proofs p, (
      select u.workspace, u.proof_id, u.asset, coalesce(n.sum, 0) as sum,
        coalesce(n.hash, ${emptyHash()}) as hash
      from proof_trees u
      left join proof_nodes n on n.workspace = u.workspace
        and n.proof_id = u.proof_id
        and n.asset = u.asset
        and n.position = 0
        and n.level = (
          select count(*)
          from generate_series(0, ${HIGHEST_LEVEL}) as below(level)
          where ${isBelowTop('below.level', 'u.leaves')}
        )
      where u.workspace = ${workspace}
        and u.proof_id = ${proof_id}
    ) as top
    where t.workspace = top.workspace
      and t.proof_id = top.proof_id
      and t.asset = top.asset
      and p.workspace = t.workspace
      and p.id = t.proof_id`)
}
