/** Rows that the desk reads and that stay as many however long the history is. */
import type pg from 'pg'
import type { WorkspaceId } from '../../core/ids.ts'

/** Assets, house accounts and venues. */
export async function insertFixedRows(owner: pg.Client, workspace: WorkspaceId): Promise<void> {
  await owner.query(
    `
      insert into assets (workspace, code, label, kind, scale)
      values ($1, 'EUR', 'Euro', 'FIAT', 2)`,
    [workspace],
  )
  await owner.query(
    `
      insert into accounts (workspace, id, type, label, system_created_at, system_updated_at)
      select $1, gen_random_uuid(), t, t, 0, 0
      from unnest(array['HOUSE', 'SUSPENSE', 'TRANSIT', 'FEE']) t`,
    [workspace],
  )
  await owner.query(
    `
      insert into venues (
        workspace, id, key, label, kind, settlement, state, config, connected_at,
        system_created_at, system_updated_at
      )
      select $1, md5('v' || n)::uuid, n::text, 'Venue ' || n, 'BANK', 'PREFUNDED', 'CONNECTED',
        '{}', 0, 0, 0
      from generate_series(1, 4) n`,
    [workspace],
  )
}

/** One route, and jobs on it of which few are active. */
export async function insertJobs(
  owner: pg.Client,
  workspace: WorkspaceId,
  count: number,
): Promise<void> {
  await owner.query(
    `
      insert into price_stream_routes (
        workspace, id, key, label, symbol, base_asset, quote_asset, hops, risk_quantile, active,
        min_amount, max_amount, amount_step, price_step, system_created_at, system_updated_at
      )
      select $1, md5('r1')::uuid, 'r', 'r', 'BTC/EUR', 'BTC', 'EUR', '[]', 0.5, true, 1, 1, 1, 1,
        0, 0`,
    [workspace],
  )
  await owner.query(
    `
      insert into transfer_jobs (
        workspace, id, state, route_id, condition_type, interval, speed_level, min_quantity,
        conditions, system_created_at, system_updated_at
      )
      select $1, md5('t' || n)::uuid, case n % 1000 when 0 then 'ACTIVE' else 'INACTIVE' end,
        md5('r1')::uuid, 'SWEEPING', 15, 'DEFAULT', 0, '[]', 0, 0
      from generate_series(1, $2::int) n`,
    [workspace, count],
  )
  await owner.query(
    `
      insert into job_schedules (workspace, id, state, next_run_at, system_updated_at)
      select workspace, id, state, case state when 'ACTIVE' then 0 end, 0
      from transfer_jobs`,
  )
  await owner.query('vacuum analyze')
}
