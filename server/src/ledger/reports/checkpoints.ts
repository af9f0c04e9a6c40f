/**
 * How far the books of each workspace were verified, in a file that stands outside the database:
 * who rewrites the rows does not reach it.
 */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Checkpoint } from './verifier.ts'

type Checkpoints = {
  of(workspace: WorkspaceId): {
    after: Checkpoint | undefined
    keep(checkpoint: Checkpoint): Promise<void>
  }
}

const count = Type.Integer({ minimum: 0 })
const hash = Type.String({ pattern: '^[0-9a-f]{64}$' })
const check = Compile(
  Type.Record(
    Type.String(),
    Type.Object(
      {
        sequence: count,
        batch_no: count,
        event_sequence: count,
        booked_event: count,
        hash,
        event_chain: Type.Optional(
          Type.Object({ batch_no: count, sequence: count, hash }, { additionalProperties: false }),
        ),
        totals: Type.Record(Type.String(), Type.String({ pattern: '^-?[0-9]+(\\.[0-9]+)?$' })),
      },
      { additionalProperties: false },
    ),
  ),
)

/** Throws when there is a file and it holds something else. */
export async function openCheckpoints(path: string): Promise<Checkpoints> {
  const known = await readCheckpoints(path)
  return {
    of: (workspace) => ({
      after: known[workspace],
      async keep(checkpoint) {
        known[workspace] = checkpoint
        // Whole or not at all, whenever the process ends.
        await writeFile(`${path}.new`, JSON.stringify(known))
        await rename(`${path}.new`, path)
      },
    }),
  }
}

async function readCheckpoints(path: string): Promise<Record<string, Checkpoint>> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw error
  })
  const known: unknown = JSON.parse(text)
  if (!check.Check(known)) throw new Error(`${path} is not the state of a verification`)
  return known
}
