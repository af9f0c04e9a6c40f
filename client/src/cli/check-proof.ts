/** `kontor check-proof FILE --root HEX`: needs no service, and asks none. */
import { readFile } from 'node:fs/promises'
import { checkProof, ProofError } from '../proofs.ts'
import type { BalanceProof } from '../proofs.ts'
import { COMMON, formatOf, parse } from './arguments.ts'
import { Problem } from './problem.ts'
import { show } from './show.ts'
import type { Terminal } from './terminal.ts'

const HELP = [
  'kontor check-proof FILE --root HEX[,HEX…]',
  '',
  'Checks that each balance in FILE is counted in the total that the roots stand for. FILE is what',
  'GET /proofs/{proof_id}/accounts/{account_id} answers. Take the roots from where the bank',
  'publishes them, one for each asset: those in the file itself prove nothing. Compare account and',
  'quantity with what you know. Asks no service.',
].join('\n')

type File = { balances: BalanceProof[] }

export async function checkProofFile(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parse(args, { ...COMMON, root: { type: 'string' } })
  if (values['help'] === true) return terminal.print(HELP)
  const [path, ...others] = positionals
  const { root } = values
  if (path === undefined || others.length > 0 || typeof root !== 'string')
    throw new Problem('usage', HELP)
  const roots = root.split(',').map((one) => one.trim())
  const checked = await provenIn(await fileAt(path), roots)
  return show(checked, { format: formatOf(values), chosen: undefined, table: undefined }, terminal)
}

async function provenIn(file: File, roots: readonly string[]) {
  try {
    return await checkProof(file, roots)
  } catch (error) {
    if (error instanceof ProofError) throw new Problem('refused', `not proven: ${error.message}`)
    throw error
  }
}

/** With the envelope of the service around it, or without. */
async function fileAt(path: string): Promise<File> {
  let file: unknown
  try {
    file = JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    throw new Problem('usage', `${path} cannot be read as JSON: ${(error as Error).message}`)
  }
  const { data, ...whole } = Object(file) as { data?: File } & File
  return data ?? whole
}
