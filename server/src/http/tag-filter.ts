/** The filter of a list by a tag that people have put on its records (desk/notes). */
import type { WorkspaceId } from '../core/ids.ts'
import { raw, sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'

type Tagged = {
  workspace: WorkspaceId
  /** As notes call the records of the list. */
  kind: string
  /** The column of their ids as the list calls it. */
  id: string
}

export const tagCondition = (of: Tagged, tag: string | undefined): readonly Query[] =>
  tag === undefined ? [] : [isTagged(of, tag)]

/** Their ids are looked up first, so that what is not tagged costs nothing. */
export const isTagged = ({ workspace, kind, id }: Tagged, tag: string): Query => sql`
  ${raw(id)} = any(array(
    select t.record_id
    from record_tags t
    where t.workspace = ${workspace}
      and t.kind = ${kind}
      and t.tag = ${tag}
  ))`
