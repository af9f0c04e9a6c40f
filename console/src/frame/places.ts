/** Where a record of some kind is shown. */
import { PAGES } from './areas.tsx'

/** The address of the record, or of what it belongs to; undefined where no page shows either. */
export function placeOf(
  kind: string,
  id: string,
  parent?: { kind: string; id: string } | null,
): string | undefined {
  const page = PAGES.find((page) => page.kind === kind)
  if (page !== undefined) return `${page.path}/${id}`
  return parent === undefined || parent === null ? undefined : placeOf(parent.kind, parent.id)
}
