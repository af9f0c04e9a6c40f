/** How values of settings are written, whoever writes them. */
import { recordChanges, settingId, storeSettings } from '../access/index.ts'
import type { ChangedSetting, SettingName, Settings } from '../access/index.ts'
import type { Clock } from '../core/clock.ts'
import type { VenueId } from '../core/ids.ts'
import type { Caller } from '../http/index.ts'
import { publishEvents } from '../ledger/index.ts'
import type { Tx } from '../store/db.ts'
import { putCalendar } from '../venues/index.ts'
import type { Calendar } from '../venues/index.ts'

/** A setting of the workspace, or the calendar of a bank. */
export type SettingWrite = ChangedSetting & {
  to: { name: SettingName } | { venue_id: VenueId } | 'WRITTEN_WITH_ITS_VENUE'
}

/** Under the lane's lock. What counts from now on is in the history, the log and the events. */
export async function writeSettings(
  caller: Caller,
  { tx, clock }: { tx: Tx; clock: Clock },
  writes: readonly SettingWrite[],
): Promise<void> {
  if (writes.length === 0) return
  const { workspace, by } = caller
  const now = clock.now()
  const settings = writes.flatMap(({ to, after }) =>
    typeof to === 'object' && 'name' in to ? [[to.name, after]] : [],
  )
  await storeSettings(caller, { tx, now }, Object.fromEntries(settings) as Partial<Settings>)
  for (const { to, after } of writes)
    if (typeof to === 'object' && 'venue_id' in to)
      await putCalendar(tx, { workspace, venue_id: to.venue_id, by, now }, after as Calendar)
  const recorded = await recordChanges(
    caller,
    { tx, now },
    writes.map(({ to: _to, ...change }) => change),
  )
  await publishEvents(
    { workspace, by },
    { tx, clock },
    recorded.map(({ id: _id, ...data }) => ({
      type: 'setting.changed',
      resource_id: settingId(workspace, data.key),
      data,
    })),
  )
}
