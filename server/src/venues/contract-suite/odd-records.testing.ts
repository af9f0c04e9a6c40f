/** What the sandbox does for the case of a record that cannot be read. */
import type { SandboxProcess } from '../sandbox-process.testing.ts'
import type { OddRecords } from './trial.testing.ts'

/** In the operations of this venue that list movements, where the answers are JSON. */
export const oddRecordsOf = (
  { control, fault }: Pick<SandboxProcess, 'control' | 'fault'>,
  venue: string,
  operations: readonly string[],
): OddRecords => ({
  lists: ['incoming', 'outgoing'],
  begin: async () => {
    for (const operation of operations) await fault(venue, operation, 'ODD', { remaining: -1 })
    return () => control('DELETE', `faults?venue=${venue}`)
  },
})
