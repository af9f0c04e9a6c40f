/**
 * Checks that a customer's balance is counted in a proof of segregation: without Kontor, from the
 * file and the root that was published. Byte for byte: docs/proof-of-segregation.md. Uses Web
 * Crypto, so it also runs where Node's modules are missing.
 *
 * A node hashes the sums of both children, not only their total: else whoever publishes the root
 * can show every customer another split of it (Hu, Zhang, Guo, "Breaking the Binding",
 * https://eprint.iacr.org/2018/1139, about Maxwell's tree).
 */
const FORMAT = 'kontor-proof-1'
/** Of sums: 38 digits for a balance, and as many balances as there can be. */
const MOST_DIGITS = 60
const DEPTHS = 48

/** A sum is a whole number in the smallest unit of the asset, a hash 32 bytes as hex. */
export type ProofNode = { sum: string; hash: string }

/** What a customer has of one asset in a proof: all that it takes to check it. */
export type BalanceProof = {
  format: string
  proof_id: string
  /** The last booking that is counted, and when the balances were read. */
  sequence: number
  taken_at: number
  /** Where the chain of bookings ended then. Signed heads name such ends. */
  books_hash: string
  asset: string
  /** Of the amounts: 2 where they are cents. */
  decimals: number
  leaves: number
  total: string
  account_id: string
  amount: string
  /** Which leaf, from 0. */
  position: number
  salt: string
  nonce: string
  /** From the leaf's up to the one below the top. */
  siblings: readonly ProofNode[]
  root: string
}

export type CheckedBalance = {
  account_id: string
  asset: string
  /** In plain notation, such as 1250.5. */
  quantity: string
  total: string
}

/** The proof does not show that the balance is counted. */
export class ProofError extends Error {
  override readonly name = 'ProofError'
}

/**
 * What is proven, of each balance. `roots`: those that were published, of any asset; whoever takes
 * them from the file itself has proven nothing. Throws ProofError.
 */
export async function checkProof(
  file: { balances: readonly BalanceProof[] },
  roots: readonly string[],
): Promise<CheckedBalance[]> {
  const published = new Set(roots.map((root) => root.toLowerCase()))
  if (!Array.isArray(file.balances) || file.balances.length === 0)
    throw new ProofError('there is no balance in this file')
  const assets = new Set(file.balances.map(({ asset }) => asset))
  if (assets.size < file.balances.length) throw new ProofError('an asset is there twice')
  const accounts = new Set(file.balances.map(({ account_id }) => account_id))
  if (accounts.size > 1) throw new ProofError('the balances are of several accounts')
  return Promise.all(file.balances.map((balance) => checkBalance(balance, published)))
}

async function checkBalance(
  balance: BalanceProof,
  published: ReadonlySet<string>,
): Promise<CheckedBalance> {
  const { asset, account_id, amount, decimals, total } = balance
  const root = await rootOf(balance)
  if (root !== balance.root) throw new ProofError(`${asset}: leaf and siblings lead to ${root}`)
  if (!published.has(root)) throw new ProofError(`${asset}: the root ${root} was not published`)
  return {
    account_id,
    asset,
    quantity: plain(whole(amount), decimals),
    total: plain(whole(total), decimals),
  }
}

/** To which root a leaf and its siblings lead. Throws ProofError for what can be no such path. */
export async function rootOf(balance: BalanceProof): Promise<string> {
  const { format, asset, leaves, position, siblings, sequence, taken_at, decimals } = balance
  if (format !== FORMAT) throw new ProofError(`the format ${format} is not known`)
  for (const number of [leaves, position, sequence, taken_at, decimals])
    if (!Number.isSafeInteger(number) || number < 0)
      throw new ProofError(`${asset}: ${number} is no count`)
  if (position >= leaves) throw new ProofError(`${asset}: the leaf lies beyond the last one`)
  if (!Array.isArray(siblings) || siblings.length > DEPTHS || siblings.length !== depthOf(leaves))
    throw new ProofError(`${asset}: ${leaves} leaves have another depth`)
  const owner = await hash('owner', bytes(balance.salt), balance.account_id)
  let sum = whole(balance.amount)
  let top = await hash('leaf', owner, asset, String(sum), bytes(balance.nonce))
  const empty = await hash('empty')
  let [at, count] = [position, leaves]
  for (const sibling of siblings) {
    const other = { sum: whole(sibling.sum), hash: bytes(sibling.hash) }
    const isLeft = at % 2 === 1
    // Behind the last node of a level stands nothing, and it counts nothing.
    if (!isLeft && at + 1 >= count && (other.sum !== 0n || hex(other.hash) !== hex(empty)))
      throw new ProofError(`${asset}: something stands behind the last leaf`)
    const own = { sum, hash: top }
    const [left, right] = isLeft ? [other, own] : [own, other]
    top = await hash('node', String(left.sum), left.hash, String(right.sum), right.hash)
    sum += other.sum
    at = Math.floor(at / 2)
    count = Math.ceil(count / 2)
  }
  if (sum !== whole(balance.total))
    throw new ProofError(`${asset}: the sums come to ${sum}, not to ${balance.total}`)
  const about = [balance.proof_id, asset, decimals, sequence, taken_at, leaves, sum].map(String)
  return hex(await hash('root', ...about, bytes(balance.books_hash), top))
}

/** How often `leaves` is halved until one is left. */
function depthOf(leaves: number): number {
  let [depth, count] = [0, leaves]
  for (; count > 1; depth += 1) count = Math.ceil(count / 2)
  return depth
}

/** SHA-256 over what it is for and the fields, each behind its length in 4 bytes. */
async function hash(
  what: string,
  ...fields: readonly (string | Uint8Array<ArrayBuffer>)[]
): Promise<Uint8Array<ArrayBuffer>> {
  const parts = [`${FORMAT}/${what}`, ...fields].flatMap((field) => {
    const value = typeof field === 'string' ? new TextEncoder().encode(field) : field
    const length = new Uint8Array(4)
    new DataView(length.buffer).setUint32(0, value.length)
    return [length, value]
  })
  const text = new Uint8Array(await new Blob(parts).arrayBuffer())
  return new Uint8Array(await crypto.subtle.digest('SHA-256', text))
}

/** Never negative: one that is would hide what others have. */
function whole(text: unknown): bigint {
  if (typeof text !== 'string' || !/^(0|[1-9]\d*)$/.test(text) || text.length > MOST_DIGITS)
    throw new ProofError(`${String(text)} is no sum`)
  return BigInt(text)
}

function bytes(text: unknown): Uint8Array<ArrayBuffer> {
  if (typeof text !== 'string' || !/^[0-9a-f]{64}$/.test(text))
    throw new ProofError(`${String(text)} is not 32 bytes`)
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

const hex = (value: Uint8Array): string =>
  [...value].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** 125050 with 2 decimals is 1250.5. */
function plain(amount: bigint, decimals: number): string {
  const digits = String(amount).padStart(decimals + 1, '0')
  const cut = digits.length - decimals
  const fraction = digits.slice(cut).replace(/0+$/, '')
  return digits.slice(0, cut) + (fraction === '' ? '' : `.${fraction}`)
}
