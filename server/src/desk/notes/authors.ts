import type { Clock } from '../../core/clock.ts'
import type { NotedPlaces } from './records.ts'

export type NotesParts = { clock: Clock; places: NotedPlaces }

export const authorName = (
  { system_created_by: by }: { system_created_by: string | null },
  names: ReadonlyMap<string, string>,
): string | null => names.get(by ?? '') ?? null
